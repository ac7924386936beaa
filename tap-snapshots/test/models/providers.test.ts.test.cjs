/* IMPORTANT
 * This snapshot file is auto-generated, but designed for humans.
 * It should be checked into source control and tracked carefully.
 * Re-generate by setting TAP_SNAPSHOT=1 and running tests.
 * Make sure to inspect the output below.  Do not ignore changes!
 */
'use strict'
exports[`test/models/providers.test.ts > TAP > every byte that a provider is sent > must match snapshot 1`] = `
[
  {
    "method": "POST",
    "path": "/v1/chat/completions",
    "headers": {
      "connection": "keep-alive",
      "user-agent": "Agenthall/0.0.0",
      "accept-encoding": "gzip, deflate, br",
      "authorization": "Bearer secret-key",
      "content-type": "application/json",
      "content-length": "308"
    },
    "body": {
      "model": "well",
      "temperature": 0.7,
      "messages": [
        {
          "role": "system",
          "content": "You help.\\n<source n=1>…</source>"
        },
        {
          "role": "user",
          "content": "Hello"
        },
        {
          "role": "assistant",
          "content": "Hi"
        },
        {
          "role": "user",
          "content": "Are returns free? ü 😀"
        }
      ],
      "stream": true,
      "stream_options": {
        "include_usage": true
      },
      "max_tokens": 256
    }
  },
  {
    "method": "POST",
    "path": "/v1/chat/completions",
    "headers": {
      "connection": "keep-alive",
      "user-agent": "Agenthall/0.0.0",
      "accept-encoding": "gzip, deflate, br",
      "authorization": "Bearer secret-key",
      "content-type": "application/json",
      "content-length": "735"
    },
    "body": {
      "model": "well",
      "temperature": 0.7,
      "response_format": {
        "type": "json_object"
      },
      "messages": [
        {
          "role": "system",
          "content": "You help.\\n<source n=1>…</source>"
        },
        {
          "role": "user",
          "content": "Hello"
        },
        {
          "role": "assistant",
          "content": "Hi"
        },
        {
          "role": "user",
          "content": "Are returns free? ü 😀"
        }
      ],
      "tools": [
        {
          "type": "function",
          "function": {
            "name": "act",
            "description": "Proposes something to be done beside the answer. Use it only when it is needed.",
            "parameters": {
              "type": "object",
              "properties": {
                "action": {
                  "type": "string",
                  "enum": [
                    "handoff",
                    "ticket"
                  ]
                },
                "reason": {
                  "type": "string",
                  "enum": [
                    "asked",
                    "angry"
                  ]
                }
              },
              "required": [
                "action",
                "reason"
              ],
              "additionalProperties": false
            }
          }
        }
      ],
      "tool_choice": "auto",
      "stream": true,
      "stream_options": {
        "include_usage": true
      },
      "max_tokens": 256
    }
  },
  {
    "method": "POST",
    "path": "/v1/messages",
    "headers": {
      "connection": "keep-alive",
      "user-agent": "Agenthall/0.0.0",
      "accept-encoding": "gzip, deflate, br",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
      "x-api-key": "secret-key",
      "content-length": "349"
    },
    "body": {
      "model": "well",
      "max_tokens": 256,
      "temperature": 0.7,
      "system": [
        {
          "type": "text",
          "text": "You help.\\n<source n=1>…</source>"
        }
      ],
      "messages": [
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "Hello"
            }
          ]
        },
        {
          "role": "assistant",
          "content": [
            {
              "type": "text",
              "text": "Hi"
            }
          ]
        },
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "Are returns free? ü 😀"
            }
          ]
        }
      ],
      "stream": true
    }
  },
  {
    "method": "POST",
    "path": "/v1/messages",
    "headers": {
      "connection": "keep-alive",
      "user-agent": "Agenthall/0.0.0",
      "accept-encoding": "gzip, deflate, br",
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
      "x-api-key": "secret-key",
      "content-length": "744"
    },
    "body": {
      "model": "well",
      "max_tokens": 256,
      "temperature": 0.7,
      "system": [
        {
          "type": "text",
          "text": "You help.\\n<source n=1>…</source>"
        }
      ],
      "messages": [
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "Hello"
            }
          ]
        },
        {
          "role": "assistant",
          "content": [
            {
              "type": "text",
              "text": "Hi"
            }
          ]
        },
        {
          "role": "user",
          "content": [
            {
              "type": "text",
              "text": "Are returns free? ü 😀"
            }
          ]
        }
      ],
      "tools": [
        {
          "name": "act",
          "description": "Proposes something to be done beside the answer. Use it only when it is needed.",
          "input_schema": {
            "type": "object",
            "properties": {
              "action": {
                "type": "string",
                "enum": [
                  "handoff",
                  "ticket"
                ]
              },
              "reason": {
                "type": "string",
                "enum": [
                  "asked",
                  "angry"
                ]
              }
            },
            "required": [
              "action",
              "reason"
            ],
            "additionalProperties": false
          },
          "eager_input_streaming": true
        }
      ],
      "tool_choice": {
        "type": "auto"
      },
      "stream": true
    }
  }
]
`
