import type { Test } from 'tap'
import { talkative } from '../../conversations/helper.ts'

/** Contained in every text of the account in question. */
export const MARK = 'Quagga'

/** An account that has some of everything, and the names of its things. */
export async function rich (t: Test) {
  const built = await talkative(t, {}, { name: MARK, behavior: { continuousLearning: true } })
  const { me, id: agent, stores, withSession } = built
  const made = async (url: string, body: object) => {
    const answer = await me.post(url, body)
    t.ok([200, 201, 202].includes(answer.statusCode), `${url} ${answer.body}`)
    return answer.json().data
  }
  const uploaded = async () => {
    const form = `--b\r\nContent-Disposition: form-data; name="file"; filename="${MARK}.json"\r\n\r\n{}\r\n--b--\r\n`
    return (await me.post('/v1/imports', form, { 'content-type': 'multipart/form-data; boundary=b' })).json().data.id
  }
  const at = `/v1/agents/${agent}`
  const source = (await made(`${at}/knowledge_sources`, { title: MARK, plain_text: MARK }))[0].id
  const visitor = (await made('/v1/visitors', { agent, name: MARK, email: 'quagga@example.com' })).id
  const conversation = (await made(`${at}/conversations`, { visitor })).id
  const message = (await made(`/v1/conversations/${conversation}/messages`, { text: `How heavy is ${MARK}?` })).id
  const key = (await made(`${at}/widget_keys`, { name: MARK, origins: ['https://quagga.example'] })).id
  const provider = { name: MARK, kind: 'linear', settings: { team: 'x' }, credentials: { token: 'x' } }
  const model = { name: MARK, provider: 'openai', key: 'sk-x', models: ['gpt-*'] }
  const webhook = (await made('/v1/webhooks', { url: 'https://quagga.example/', events: ['message.completed'] })).id
  const { session } = await withSession(me.id)
  t.equal((await me.put(`${at}/vocabulary`, { terms: [{ term: MARK, means: [`${MARK}s`] }] })).statusCode, 200)
  const connection = (await made('/v1/connections', { name: MARK, base_url: 'https://quagga.example' })).id
  const action = (await made('/v1/actions', {
    connection, name: 'quagga', title: MARK, effect: 'write', confirm: 'person', method: 'POST', path: '/quagga', enabled: true
  })).id
  await me.put(at, { behavior: { actionIds: [action] } })
  const call = (await made(`/v1/conversations/${conversation}/calls`, { action })).id
  const names: Record<string, Record<string, unknown>> = {
    all: {
      agent,
      conversation,
      visitor,
      message,
      source,
      sources: [source],
      agents: [agent],
      folder: (await made(`${at}/knowledge_folders`, { name: MARK })).id,
      key,
      secret: (await made(`${at}/widget_keys/${key}/identity_secrets`, {})).id,
      webhook,
      note: (await made(`/v1/conversations/${conversation}/notes`, { text: MARK })).id,
      member: (await me.get('/v1/me')).json().data.account.member,
      invitation: (await made('/v1/invitations', { email: 'quagga@example.com', role: 'viewer' })).id,
      session,
      account: me.id,
      person: me.id,
      inviter: me.id,
      user: me.id,
      passkey: 1,
      reply: (await made('/v1/saved_replies', { key: MARK, texts: { en: MARK } })).id,
      alias: MARK,
      ids: [agent],
      question: (await made(`${at}/questions`, { text: `How heavy is ${MARK}?`, expect: { says: [MARK] } })).id,
      run: (await made(`${at}/runs`, {})).id,
      feed: (await made(`${at}/feeds`, { name: MARK, kind: 'drive_folder', config: { folder: MARK } })).id,
      connection,
      action,
      actions: [action],
      call
    },
    AgentStore: { id: agent },
    VersionStore: { id: agent },
    AccessStore: { key: 1 },
    ConversationStore: { id: conversation },
    VisitorStore: { id: visitor },
    WebhookStore: { id: webhook },
    OutboxStore: { id: (await made(`/v1/webhooks/${webhook}/test`, {})).id },
    TicketStore: { id: (await made('/v1/tickets', { agent, subject: MARK })).id, provider: 1 },
    TicketingProviderStore: { id: (await made('/v1/ticketing_providers', provider)).id },
    ModelProviderStore: { provider: (await made('/v1/model_providers', model)).id },
    ImportStore: { id: await uploaded() },
    LearningStore: { ids: [1] }
  }
  await built.settled()
  const kept = {
    /** The key of the agent. */
    agent: [...(await stores.configAsCode.keys(me.id)).agents.keys()][0]!,
    action: (await stores.actions.actions.known(me.id, action))?.action,
    call: await stores.actions.calls.get(me.id, conversation, call),
    conversation: await stores.conversations.store.get(me.id, conversation),
    visitor: await stores.conversations.visitors.get(me.id, visitor),
    ticket: (await stores.tickets.store.get(me.id, names.TicketStore!.id as string))?.ticket
  }
  return { ...built, names, kept }
}
