use serde_json::{Value, json};

use crate::{AnswerError, Definitions, Profile, Provider, Registry, Selection, ToolCall};

fn definitions(provider: Provider) -> std::sync::Arc<Definitions> {
    Registry::new().session(&Selection::all()).definitions(Profile::from(provider))
}

fn call(id: &str, name: &str, arguments: &str) -> ToolCall {
    ToolCall::new(id, name, arguments)
}

/// Two calls: one with a face and an escaped one in its arguments, one without arguments.
fn two() -> Vec<ToolCall> {
    vec![call("c1", "greet", r#"{"who":"é😀","n":12345678901234567890}"#), call("c2", "ping", "{}")]
}

#[test]
fn a_complete_answer_has_its_calls() {
    let answers = [
        (
            Provider::OpenAi,
            r#"{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[
                {"id":"c1","type":"function","function":{"name":"greet","arguments":"{\"who\":\"é\ud83d\ude00\",\"n\":12345678901234567890}"}},
                {"id":"c2","type":"function","function":{"name":"ping","arguments":{}}}]},"finish_reason":"tool_calls"}]}"#,
        ),
        (
            Provider::Responses,
            r#"{"id":"r","error":null,"output":[{"type":"reasoning","summary":[]},
                {"type":"function_call","id":"fc","call_id":"c1","name":"greet","arguments":"{\"who\":\"é😀\",\"n\":12345678901234567890}"},
                {"type":"function_call","call_id":"c2","name":"ping","arguments":"{}"}]}"#,
        ),
        (
            Provider::Anthropic,
            r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"Well."},
                {"type":"tool_use","id":"c1","name":"greet","input":{"who":"é😀","n":12345678901234567890}},
                {"type":"tool_use","id":"c2","name":"ping","input":{}}],"stop_reason":"tool_use"}"#,
        ),
        (
            Provider::Gemini,
            r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"Well."},
                {"functionCall":{"id":"c1","name":"greet","args":{"who":"é😀","n":12345678901234567890}}},
                {"functionCall":{"id":"c2","name":"ping"}}]}}]}"#,
        ),
        (
            Provider::Mcp,
            r#"[{"jsonrpc":"2.0","id":"c1","method":"tools/call","params":{"name":"greet","arguments":{"who":"é😀","n":12345678901234567890}}},
                {"jsonrpc":"2.0","method":"notifications/initialized"},
                {"jsonrpc":"2.0","id":"c2","method":"tools/call","params":{"name":"ping"}}]"#,
        ),
    ];
    for (provider, answer) in answers {
        assert_eq!(definitions(provider).parse_calls(answer).unwrap(), two(), "{provider}");
    }
}

#[test]
fn a_part_of_an_answer_is_enough() {
    let message = r#"{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"x","arguments":""}}]}"#;
    assert_eq!(definitions(Provider::OpenAi).parse_calls(message).unwrap(), [call("a", "x", "")]);
    let items = r#"[{"type":"function_call","call_id":"a","name":"x","arguments":"{"}]"#;
    assert_eq!(definitions(Provider::Responses).parse_calls(items).unwrap(), [call("a", "x", "{")]);
    let blocks = r#"[{"type":"tool_use","id":"a","name":"x","input":{"a":1.50}}]"#;
    assert_eq!(
        definitions(Provider::Anthropic).parse_calls(blocks).unwrap(),
        [call("a", "x", r#"{"a":1.50}"#)]
    );
    let content = r#"{"parts":[{"functionCall":{"name":"x","args":{"a":1}}}]}"#;
    assert_eq!(definitions(Provider::Gemini).parse_calls(content).unwrap(), [call("", "x", r#"{"a":1}"#)]);
    let params = r#"{"name":"x","arguments":{"a":1}}"#;
    assert_eq!(definitions(Provider::Mcp).parse_calls(params).unwrap(), [call("", "x", r#"{"a":1}"#)]);
}

#[test]
fn an_answer_without_calls_has_none() {
    let answers = [
        (Provider::OpenAi, r#"{"choices":[{"message":{"content":"Hi.","tool_calls":null}}]}"#),
        (Provider::Responses, r#"{"output":[{"type":"message","content":[]}]}"#),
        (Provider::Anthropic, r#"{"type":"message","content":"Hi."}"#),
        (Provider::Gemini, r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#),
        (Provider::Mcp, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#),
    ];
    for (provider, answer) in answers {
        assert_eq!(definitions(provider).parse_calls(answer).unwrap(), [], "{provider}");
    }
}

#[test]
fn an_error_of_the_provider_is_no_answer() {
    let answers = [
        (Provider::OpenAi, r#"{"error":{"message":"no"}}"#),
        (Provider::Responses, r#"{"error":{"message":"no"},"output":[]}"#),
        (Provider::Anthropic, r#"{"type":"error","error":{"type":"overloaded_error","message":"no"}}"#),
        (Provider::Gemini, r#"{"error":{"code":400,"message":"no"}}"#),
    ];
    for (provider, answer) in answers {
        let error = definitions(provider).parse_calls(answer).unwrap_err();
        assert!(matches!(&error, AnswerError::Provider(said) if said.contains("no")), "{provider}: {error}");
        let error = definitions(provider).stream().event(answer).unwrap_err();
        assert!(matches!(error, AnswerError::Provider(_)), "{provider}: {error}");
    }
    for provider in Provider::ALL {
        for nonsense in ["", "<html>", "7", "{\"choices\":7,\"output\":7,\"content\":7,\"candidates\":7"] {
            let error = definitions(*provider).parse_calls(nonsense).unwrap_err();
            assert!(matches!(error, AnswerError::Unreadable(_)), "{provider}: {nonsense}");
        }
    }
}

fn sse(events: &[Value]) -> String {
    events.iter().map(|event| format!("event: {}\ndata: {event}\n\n", event["type"])).collect()
}

/// A streamed answer with the calls of [`two`], whose arguments come in pieces.
fn streamed(provider: Provider) -> String {
    let arguments = [r#"{"who":"#, "\"é😀", r#"","n":12345678"#, "901234567890}"];
    match provider {
        Provider::OpenAi => {
            let chunk =
                |delta: Value| json!({ "choices": [{ "index": 0, "delta": delta, "finish_reason": null }] });
            let begin = |index: u64, id: &str, name: &str| {
                chunk(
                    json!({ "tool_calls": [{ "index": index, "id": id, "type": "function", "function": { "name": name, "arguments": "" } }] }),
                )
            };
            let piece = |index: u64, text: &str| {
                chunk(json!({ "tool_calls": [{ "index": index, "function": { "arguments": text } }] }))
            };
            let mut events =
                vec![chunk(json!({ "role": "assistant", "content": null })), begin(0, "c1", "greet")];
            events.extend(arguments.iter().map(|text| piece(0, text)));
            events.extend([begin(1, "c2", "ping"), piece(1, "{}")]);
            events.push(json!({ "choices": [{ "index": 0, "delta": {}, "finish_reason": "tool_calls" }] }));
            sse(&events) + "data: [DONE]\n\n"
        }
        Provider::Responses => {
            let item = |name: &str, id: &str, arguments: &str| json!({ "type": "function_call", "id": "fc", "call_id": id, "name": name, "arguments": arguments });
            let mut events = vec![
                json!({ "type": "response.created", "response": { "output": [] } }),
                json!({ "type": "response.output_item.added", "output_index": 0, "item": item("greet", "c1", "") }),
            ];
            events.extend(arguments.iter().map(
                |text| json!({ "type": "response.function_call_arguments.delta", "output_index": 0, "delta": text }),
            ));
            events.extend([
                json!({ "type": "response.function_call_arguments.done", "output_index": 0, "arguments": arguments.concat() }),
                json!({ "type": "response.output_item.done", "output_index": 0, "item": item("greet", "c1", &arguments.concat()) }),
                json!({ "type": "response.output_item.added", "output_index": 1, "item": item("ping", "c2", "") }),
                json!({ "type": "response.completed", "response": { "error": null, "output": [
                    item("greet", "c1", &arguments.concat()), item("ping", "c2", "{}"),
                ] } }),
            ]);
            sse(&events)
        }
        Provider::Anthropic => {
            let block = |index: u64, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
            let stop = |index: u64| json!({ "type": "content_block_stop", "index": index });
            let mut events = vec![
                json!({ "type": "message_start", "message": { "content": [] } }),
                block(0, json!({ "type": "text", "text": "" })),
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": "Well." } }),
                stop(0),
                json!({ "type": "ping" }),
                block(1, json!({ "type": "tool_use", "id": "c1", "name": "greet", "input": {} })),
            ];
            events.extend(arguments.iter().map(|text| {
                json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": text } })
            }));
            events.extend([
                stop(1),
                block(2, json!({ "type": "tool_use", "id": "c2", "name": "ping", "input": {} })),
                stop(2),
                json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
                json!({ "type": "message_stop" }),
            ]);
            sse(&events)
        }
        Provider::Gemini => {
            let of = |call: &str| {
                format!(r#"{{"candidates":[{{"content":{{"parts":[{{"functionCall":{call}}}]}}}}]}}"#)
            };
            let first = of(&format!(r#"{{"id":"c1","name":"greet","args":{}}}"#, arguments.concat()));
            let second = of(r#"{"id":"c2","name":"ping","args":{}}"#);
            format!("data: {first}\r\n\r\ndata: {second}\r\n\r\n")
        }
        Provider::Mcp => {
            let of = |id: &str, name: &str, arguments: &str| {
                format!(
                    r#"{{"jsonrpc":"2.0","id":"{id}","method":"tools/call","params":{{"name":"{name}","arguments":{arguments}}}}}"#
                )
            };
            format!("{}\n{}\n", of("c1", "greet", &arguments.concat()), of("c2", "ping", "{}"))
        }
    }
}

#[test]
fn a_streamed_answer_has_the_same_calls_however_it_is_cut() {
    for provider in Provider::ALL {
        let definitions = definitions(*provider);
        let body = streamed(*provider).into_bytes();
        for piece in (1..40).chain([body.len()]) {
            let mut stream = definitions.stream();
            let mut calls = Vec::new();
            for bytes in body.chunks(piece) {
                calls.extend(stream.feed(bytes).unwrap());
            }
            calls.extend(stream.finish().unwrap());
            assert_eq!(calls, two(), "{provider} in pieces of {piece}");
        }
    }
}

#[test]
fn what_was_begun_when_the_stream_ends_is_not_called() {
    for provider in [Provider::OpenAi, Provider::Responses, Provider::Anthropic] {
        let definitions = definitions(provider);
        let body = streamed(provider);
        let begun = body.find("12345678").unwrap();
        let mut stream = definitions.stream();
        assert_eq!(stream.feed(&body.as_bytes()[..begun]).unwrap(), []);
        assert_eq!(stream.finish().unwrap_err(), AnswerError::Cut(vec!["greet".to_owned()]), "{provider}");
    }
    let mut stream = definitions(Provider::Gemini).stream();
    stream.feed(br#"data: {"candidates":[{"content""#).unwrap();
    assert_eq!(stream.finish().unwrap_err(), AnswerError::Cut(Vec::new()));
}

#[test]
fn every_prefix_of_a_stream_ends_in_calls_or_in_a_clear_error() {
    for provider in Provider::ALL {
        let definitions = definitions(*provider);
        let body = streamed(*provider).into_bytes();
        for end in 0..body.len() {
            let mut stream = definitions.stream();
            let mut calls = stream.feed(&body[..end]).unwrap();
            match stream.finish() {
                Ok(rest) => calls.extend(rest),
                Err(error) => assert!(matches!(error, AnswerError::Cut(_)), "{provider} at {end}: {error}"),
            }
            let expected = two();
            assert!(expected.starts_with(&calls), "{provider} at {end}: {calls:?}");
        }
    }
}

#[test]
fn a_server_that_does_not_stream_is_understood() {
    let body =
        r#"{"choices":[{"message":{"tool_calls":[{"id":"a","function":{"name":"x","arguments":"{}"}}]}}]}"#;
    let mut stream = definitions(Provider::OpenAi).stream();
    assert_eq!(stream.feed(body.as_bytes()).unwrap(), [call("a", "x", "{}")]);
    let body = r#"{"type":"message","content":[{"type":"tool_use","id":"a","name":"x","input":{}}]}"#;
    let mut stream = definitions(Provider::Anthropic).stream();
    assert_eq!(stream.feed(body.as_bytes()).unwrap(), [call("a", "x", "{}")]);
    let body = r#"{"output":[{"type":"function_call","call_id":"a","name":"x","arguments":"{}"}]}"#;
    let mut stream = definitions(Provider::Responses).stream();
    assert_eq!(stream.feed(body.as_bytes()).unwrap(), [call("a", "x", "{}")]);
    let body = format!(
        "[{}\n,\r\n{}]",
        r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","args":{}}}]}}]}"#, "{}"
    );
    let mut stream = definitions(Provider::Gemini).stream();
    assert_eq!(stream.feed(body.as_bytes()).unwrap(), [call("", "x", "{}")]);
}

#[test]
fn servers_that_number_calls_badly_are_understood() {
    let events = [
        json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": "a", "function": { "name": "x", "arguments": "{}" } }] } }] }),
        json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": "b", "function": { "name": "y", "arguments": "{\"a\":" } }] } }] }),
        json!({ "choices": [{ "delta": { "tool_calls": [{ "index": 0, "id": null, "function": { "name": "", "arguments": "1}" } }] } }] }),
        json!({ "choices": [{ "delta": { "tool_calls": [{ "id": "c", "function": { "name": "z", "arguments": {} } }] } }] }),
        json!({ "choices": [{ "index": 1, "delta": { "tool_calls": [{ "index": 0, "id": "other", "function": { "name": "o" } }] } }] }),
        json!({ "choices": [], "usage": {} }),
    ];
    let mut stream = definitions(Provider::OpenAi).stream();
    for event in &events {
        assert_eq!(stream.event(&event.to_string()).unwrap(), []);
    }
    let calls = stream.event("[DONE]").unwrap();
    assert_eq!(calls, [call("a", "x", "{}"), call("b", "y", r#"{"a":1}"#), call("c", "z", "{}")]);
}

#[test]
fn calls_before_a_broken_event_are_not_lost() {
    let good = r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"x","args":{}}}]}}]}"#;
    let mut stream = definitions(Provider::Gemini).stream();
    let error = stream.feed(format!("data: {good}\n\ndata: oops\n\n").as_bytes()).unwrap_err();
    assert!(matches!(error, AnswerError::Unreadable(_)));
    assert_eq!(stream.finish().unwrap(), [call("", "x", "{}")]);
}

#[test]
fn bytes_of_chance_are_no_panic() {
    let mut state = 88_172_645_463_325_252_u64;
    for round in 0..300 {
        let provider = Provider::ALL[round % Provider::ALL.len()];
        let mut body = streamed(provider).into_bytes();
        for _ in 0..4 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let at = (state as usize) % body.len();
            body[at] = (state >> 32) as u8;
        }
        let mut stream = definitions(provider).stream();
        let fed = stream.feed(&body);
        let _ = (fed, stream.finish());
    }
}
