/** What the API document begins with. */
export const DESCRIPTION = `Manage AI agents that talk to your customers.

Every request carries \`Authorization: Api-Key <key>\` or \`Authorization: Bearer <key>\`. Both prefixes, \`/v1\` and
\`/api/v1\`, serve every route; a trailing slash is optional. The number of requests per minute is limited per account, by tier; see the \`x-ratelimit-…\` headers.

A POST with an \`Idempotency-Key\` header is carried out once; for 24 hours, a retry gets the same response. Every
object that can be changed, and the list of agents, has an \`ETag\`: send it as \`If-None-Match\` to read only what changed, and as \`If-Match\` to update only the version you read.`

/** The groups of routes in the API document, in the order in which a newcomer needs them. */
export const GROUPS = [
  { name: 'Agents', description: 'Agents talk to customers: create, update, list and delete them' },
  { name: 'Knowledge', description: 'What an agent knows: texts, files and sites; training and search' },
  { name: 'Checks', description: 'Test questions for an agent, and its answers to them before visitors ask' },
  { name: 'Conversations', description: 'Conversations with agents, and their messages' },
  { name: 'Compatible', description: 'Conversations for clients that use the protocol of OpenAI or the AI SDK' },
  { name: 'People', description: 'Hand-off to people, their availability and notes, and what agents learned from them' },
  { name: 'Tickets', description: 'Requests answered later, by mail or in a help desk' },
  { name: 'Widget', description: 'The chat on a website: its keys, and the requests of its visitors' },
  { name: 'Visitors', description: 'People who have talked with agents' },
  { name: 'Privacy', description: 'Retention, export and erasure of personal data' },
  { name: 'Usage', description: 'Figures: answers, outcomes, tokens and their cost' },
  { name: 'Actions', description: 'What agents may do in other systems, the connections they use, and what they did' },
  { name: 'Models', description: 'Language models of the account' },
  { name: 'Ticketing providers', description: 'Help desks that receive tickets' },
  { name: 'Webhooks', description: 'Events sent to other programs as they happen' },
  { name: 'Deliveries', description: 'Outgoing messages, sent or pending, and sending them again' },
  { name: 'Team', description: 'Members, invitations, the account and business settings' },
  { name: 'API keys', description: 'Keys for programs' },
  { name: 'Account', description: 'The calling user, and their sessions, passkeys and password' },
  { name: 'Sign-in', description: 'Signing in with a password, a link or a passkey' },
  { name: 'Operations', description: 'For operators of the server' }
]

/** How a caller says who they are, in samples. */
export const SAMPLE_HEADER = 'Api-Key YOUR_KEY'

const call = (method: string, path: string, body?: string) =>
  `<pre tabindex="0">curl -X ${method} "$HOST${path}" -H "authorization: Api-Key $KEY"${body ? ` \\\n  -H "content-type: application/json" -d '${body}'` : ''}</pre>`

/** Introduction on the API's page: from a key to an answer in four calls. */
export const QUICK_START = `<h1>Quick start</h1>
<p>From a key to an answer in four calls. Make the key in the <a href="/console/#/keys">console</a> under API keys; it is shown once.</p>
<pre tabindex="0">HOST=https://chat.example.com
KEY=agh_…</pre>
<h2>1. Make an agent</h2>
${call('POST', '/v1/agents', '{"name":"Ada","systemPrompt":"You help the customers of our shop."}')}
<p>Its number is <code>data.id</code> of the answer; your other agents are not changed.</p>
<pre tabindex="0">AGENT=…</pre>
<h2>2. Teach it</h2>
${call('POST', '/v1/agents/$AGENT/knowledge_sources', '{"title":"Returns","plain_text":"Returns are accepted within 30 days."}')}
<p>Training takes a moment. The agent knows it once <code>training_status</code> is <code>Success</code>:</p>
${call('GET', '/v1/agents/$AGENT/knowledge_sources')}
<h2>3. Begin a conversation</h2>
${call('POST', '/v1/agents/$AGENT/conversations', '{}')}
<p>It has a <code>data.id</code> too.</p>
<pre tabindex="0">CONVERSATION=conv_…</pre>
<h2>4. Ask</h2>
${call('POST', '/v1/conversations/$CONVERSATION/messages', '{"text":"How long can I return something?"}')}
<p>The answer names its sources. With <code>accept: text/event-stream</code> it comes as it is written; what each stream can say is in the schemas below.
Lists come in parts (<code>cursor</code>), changes take <code>If-Match</code>, and a POST with an <code>Idempotency-Key</code> is done once.
Below, each call has samples for curl, JavaScript and Python. There is a typed client for JavaScript and TypeScript, made of the same document.</p>`
