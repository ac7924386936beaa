/** What the API document begins with. */
export const DESCRIPTION = `Manage AI agents that talk to your customers.

Every request carries \`Authorization: Api-Key <key>\` or \`Authorization: Bearer <key>\`. Both prefixes, \`/v1\` and
\`/api/v1\`, serve every route; a trailing slash is optional. Requests are limited per account and minute by tier; see the \`x-ratelimit-…\` headers.

A POST with an \`Idempotency-Key\` header is done once and answered the same for 24 hours. An agent and a list carry an
\`ETag\`: send it as \`If-None-Match\` to read only what changed, and as \`If-Match\` to write only over what you read.`
