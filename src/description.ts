/** What the API document begins with. */
export const DESCRIPTION = `Manage AI agents that talk to your customers.

Every request carries \`Authorization: Api-Key <key>\` or \`Authorization: Bearer <key>\`. Both prefixes, \`/v1\` and
\`/api/v1\`, serve every route; a trailing slash is optional. Requests are limited per account and minute by tier; see the \`x-ratelimit-…\` headers.

A POST with an \`Idempotency-Key\` header is done once and answered the same for 24 hours. Whatever can be
changed, and a list of agents, carries an \`ETag\`: send it as \`If-None-Match\` to read only what changed, and as \`If-Match\` to write only over what you read.`

/** The groups of routes in the API document, in the order in which a newcomer needs them. */
export const GROUPS = [
  { name: 'Agents', description: 'What talks to customers: made, changed, listed, deleted' },
  { name: 'Knowledge', description: 'What an agent knows: texts, files, sites; training and search' },
  { name: 'Checks', description: 'Test questions of an agent, and what it answers them before visitors ask' },
  { name: 'Conversations', description: 'Talking with an agent, and what was said' },
  { name: 'Compatible', description: 'The same for clients that speak the protocol of OpenAI or of the AI SDK' },
  { name: 'People', description: 'Hand-off to people, their duty, notes, and what agents have learned from them' },
  { name: 'Tickets', description: 'What is answered later, by mail or in a help desk' },
  { name: 'Widget', description: 'The chat on a site: its keys, and what its visitors ask for' },
  { name: 'Visitors', description: 'Who has talked with agents' },
  { name: 'Privacy', description: 'How long what is kept, copies and erasure' },
  { name: 'Usage', description: 'Figures: answers, outcomes, tokens and their price' },
  { name: 'Actions', description: 'What agents may do in other systems, over which connections, and what they did' },
  { name: 'Models', description: 'Language models of the account' },
  { name: 'Ticketing providers', description: 'Help desks that tickets go to' },
  { name: 'Webhooks', description: 'What is told to other programs as it happens' },
  { name: 'Deliveries', description: 'What has left the house or is to leave it, and trying again' },
  { name: 'Team', description: 'Members, invitations, the account and the business' },
  { name: 'API keys', description: 'Keys for programs' },
  { name: 'Account', description: 'Who is asking, and the own sessions, passkeys and password' },
  { name: 'Sign-in', description: 'Signing in with a password, a link or a passkey' },
  { name: 'Operations', description: 'For whoever runs the server' }
]
