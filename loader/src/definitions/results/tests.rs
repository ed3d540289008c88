use serde_json::{Value, json};

use crate::{Answer, ErrorType, Failure, Output, OutputKind, Provider, ToolCall};

fn blocks(blocks: &Value) -> Answer {
    let mut answer: Answer = Output::text(blocks.to_string()).into();
    answer.kind = OutputKind::Blocks;
    answer
}

fn rendered(provider: Provider, answers: &[Answer]) -> Value {
    let calls: Vec<ToolCall> =
        (0..answers.len()).map(|n| ToolCall::new(format!("c{n}"), format!("tool_{n}"), "{}")).collect();
    serde_json::from_str(&provider.render_results(calls.iter().zip(answers))).unwrap()
}

#[test]
fn a_text_and_an_error_are_results_of_every_provider() {
    let failed: Answer = Failure::new(ErrorType::Timeout, "too late").into();
    let answers = [Answer::from(Output::text("hello")), failed];
    let error = r#"{"error":"too late","error_type":"timeout"}"#;
    assert_eq!(
        rendered(Provider::OpenAi, &answers),
        json!([
            { "role": "tool", "tool_call_id": "c0", "content": "hello" },
            { "role": "tool", "tool_call_id": "c1", "content": error },
        ])
    );
    assert_eq!(
        rendered(Provider::Responses, &answers),
        json!([
            { "type": "function_call_output", "call_id": "c0", "output": "hello" },
            { "type": "function_call_output", "call_id": "c1", "output": error },
        ])
    );
    assert_eq!(
        rendered(Provider::Anthropic, &answers),
        json!([{ "role": "user", "content": [
            { "type": "tool_result", "tool_use_id": "c0", "content": [{ "type": "text", "text": "hello" }] },
            { "type": "tool_result", "tool_use_id": "c1", "is_error": true, "content": [{ "type": "text", "text": error }] },
        ] }])
    );
    assert_eq!(
        rendered(Provider::Gemini, &answers),
        json!([{ "role": "user", "parts": [
            { "functionResponse": { "id": "c0", "name": "tool_0", "response": { "output": "hello" } } },
            { "functionResponse": { "id": "c1", "name": "tool_1", "response": { "error": "too late", "error_type": "timeout" } } },
        ] }])
    );
    assert_eq!(
        rendered(Provider::Mcp, &answers),
        json!([
            { "content": [{ "type": "text", "text": "hello" }] },
            { "content": [{ "type": "text", "text": error }], "isError": true },
        ])
    );
}

#[test]
fn images_stand_in_the_result_where_they_may_else_in_a_message_after_all() {
    let image = json!({ "type": "image", "data": "QUJD", "mimeType": "image/png" });
    let answers = [blocks(&json!([{ "type": "text", "text": "A page." }, image])), Output::text("b").into()];
    assert_eq!(
        rendered(Provider::OpenAi, &answers),
        json!([
            { "role": "tool", "tool_call_id": "c0", "content": "A page.\n\n(What it shows comes in the next message.)" },
            { "role": "tool", "tool_call_id": "c1", "content": "b" },
            { "role": "user", "content": [
                { "type": "text", "text": "What `tool_0` (c0) shows:" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,QUJD" } },
            ] },
        ])
    );
    assert_eq!(
        rendered(Provider::Responses, &answers)[0]["output"],
        json!([
            { "type": "input_text", "text": "A page." },
            { "type": "input_image", "image_url": "data:image/png;base64,QUJD" },
        ])
    );
    assert_eq!(
        rendered(Provider::Anthropic, &answers)[0]["content"][0]["content"],
        json!([
            { "type": "text", "text": "A page." },
            { "type": "image", "source": { "type": "base64", "media_type": "image/png", "data": "QUJD" } },
        ])
    );
    let gemini = rendered(Provider::Gemini, &answers);
    assert_eq!(gemini[0]["parts"].as_array().unwrap().len(), 2, "a response for each call");
    assert_eq!(gemini[1]["parts"][1], json!({ "inlineData": { "mimeType": "image/png", "data": "QUJD" } }));
    assert_eq!(rendered(Provider::Mcp, &answers)[0]["content"][1], image);
}

#[test]
fn every_block_of_mcp_is_told() {
    let all = blocks(&json!([
        { "type": "audio", "data": "QUJD", "mimeType": "audio/wav" },
        { "type": "image", "data": "QUJD", "mimeType": "image/tiff" },
        { "type": "resource", "resource": { "uri": "file:///a", "text": "inside" } },
        { "type": "resource", "resource": { "uri": "file:///b", "blob": "QUJD", "mimeType": "application/pdf" } },
        { "type": "resource_link", "uri": "file:///c", "name": "c", "description": "See it." },
        { "type": "later", "text": "unknown" },
        "no block",
    ]));
    let told = rendered(Provider::OpenAi, std::slice::from_ref(&all))[0]["content"].clone();
    assert_eq!(
        told,
        "[audio/wav, about 3 bytes, is not shown here]\n\n\
         [image/tiff, about 3 bytes, is not shown here]\n\n\
         file:///a:\ninside\n\n\
         [file:///b: application/pdf, about 3 bytes, is not shown here]\n\n\
         [c](file:///c): See it.\n\n\
         [later] unknown\n\n\"no block\""
    );
    let heard = rendered(Provider::Gemini, &[all]);
    assert_eq!(heard[1]["parts"][1]["inlineData"]["mimeType"], "audio/wav");
}

#[test]
fn an_empty_result_is_no_empty_block() {
    let answers = [Answer::from(Output::text(""))];
    assert_eq!(
        rendered(Provider::Anthropic, &answers),
        json!([{ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": "c0" }] }])
    );
    assert_eq!(rendered(Provider::OpenAi, &answers)[0]["content"], "");
    for provider in Provider::ALL {
        assert_eq!(rendered(*provider, &[]), json!([]), "{provider}");
    }
}

#[test]
fn json_is_an_object_for_gemini_and_structured_for_mcp() {
    let mut answer: Answer = Output::json(r#"{"n":1}"#).into();
    answer.structured = Some(r#"{"n":1}"#.into());
    let answers = [answer, Output::json("not JSON after all").into()];
    let gemini = rendered(Provider::Gemini, &answers);
    assert_eq!(gemini[0]["parts"][0]["functionResponse"]["response"], json!({ "output": { "n": 1 } }));
    assert_eq!(
        gemini[0]["parts"][1]["functionResponse"]["response"],
        json!({ "output": "not JSON after all" })
    );
    let mcp = rendered(Provider::Mcp, &answers);
    assert_eq!(mcp[0]["structuredContent"], json!({ "n": 1 }));
}

#[test]
fn a_call_without_an_id_is_answered_by_its_name() {
    let call = ToolCall::new("", "ping", "{}");
    let answer = Answer::from(Output::text("pong"));
    let text = Provider::Gemini.render_results([(&call, &answer)]);
    assert_eq!(
        text,
        r#"[{"parts":[{"functionResponse":{"name":"ping","response":{"output":"pong"}}}],"role":"user"}]"#
    );
}

#[test]
fn blocks_that_are_none_are_shown_as_they_are() {
    let mut answer: Answer = Output::text("oops").into();
    answer.kind = OutputKind::Blocks;
    for provider in Provider::ALL {
        assert!(provider.render_results([(&ToolCall::default(), &answer)]).contains("oops"), "{provider}");
    }
}
