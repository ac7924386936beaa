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

/** How a caller says who they are, in samples. */
export const SAMPLE_HEADER = 'Api-Key YOUR_KEY'

const call = (method: string, path: string, body?: string) =>
  `<pre tabindex="0">curl -X ${method} "$HOST${path}" -H "authorization: Api-Key $KEY"${body ? ` \\\n  -H "content-type: application/json" -d '${body}'` : ''}</pre>`

/** What the page of the interface begins with: from a key to an answer in four calls. */
export const QUICK_START = `<h1>Quick start</h1>
<p>From a key to an answer in four calls. Make the key in the <a href="/console/#/keys">console</a> under API keys; it is shown once.</p>
<pre tabindex="0">HOST=https://chat.example.com
KEY=agh_…</pre>
<h2>1. Make an agent</h2>
${call('POST', '/v1/agents', '{"name":"Ada","systemPrompt":"You help the customers of our shop."}')}
<p>Its number is <code>data.id</code> of the answer; the agents that you have had before are left alone.</p>
<pre tabindex="0">AGENT=…</pre>
<h2>2. Teach it</h2>
${call('POST', '/v1/agents/$AGENT/knowledge_sources', '{"title":"Returns","plain_text":"Returns are accepted within 30 days."}')}
<h2>3. Begin a conversation</h2>
${call('POST', '/v1/agents/$AGENT/conversations', '{}')}
<p>It has a <code>data.id</code> too.</p>
<pre tabindex="0">CONVERSATION=conv_…</pre>
<h2>4. Ask</h2>
${call('POST', '/v1/conversations/$CONVERSATION/messages', '{"text":"How long can I return something?"}')}
<p>The answer names the sources that it rests on. With <code>accept: text/event-stream</code> it comes as it is written; what each stream can say is in the schemas below.
Lists come in parts (<code>cursor</code>), changes take <code>If-Match</code>, and a POST with an <code>Idempotency-Key</code> is done once.
Below, each call has samples for curl, JavaScript and Python. There is a typed client for JavaScript and TypeScript, made of the same document.</p>`
