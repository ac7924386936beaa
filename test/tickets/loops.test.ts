import t, { type Test } from 'tap'
import { QUESTION, talkative } from '../conversations/helper.ts'
import { mailServer, type Got } from './helper.ts'

/** What a mail carries besides its text, by short names. */
type Marks = Record<string, string>

/** One of two businesses with its own server: its open ticket, and the address under which its visitor replies. */
async function hall (t: Test, directory: string, domain: string) {
  const server = await mailServer(t)
  const settings = { AGENTHALL_SMTP_URL: server.url, AGENTHALL_MAIL_FROM: `Help <help@${domain}>` }
  const behavior = { email: `support@${domain}`, autoTicketReply: true }
  const { me, id, stores, settled } = await talkative(t, settings, { behavior }, { directory })
  const opened = await me.post('/v1/tickets', {
    agent: id, subject: 'Shoes', description: 'Where are they?', requester: { email: 'ada@elsewhere.example' }
  })
  const at = `/v1/tickets/${opened.json().data.id}`
  const reply = async (text: string) => {
    t.equal((await me.post(`${at}/messages`, { text })).statusCode, 201)
    await settled()
  }
  await reply('We look for them.')
  const address = server.got.at(-1)!.header('reply-to')!
  /** The recipient, as visitor or as business, is the other one. */
  const writeTo = async (email: string) => {
    await me.patch(at, { requester: { email } })
    await me.put(`/v1/agents/${id}`, { behavior: { email } })
  }
  let taken = 0
  const take = async (from: string, to: string, text: string, { 'message-id': messageId, ...marks }: Marks) => {
    const outcome = await stores.tickets.desk.receiveMail({
      from,
      fromName: null,
      to: [to],
      subject: '',
      references: [],
      text,
      attachments: [],
      report: null,
      marks,
      messageId: messageId ?? `<${++taken}@gateway.example>`
    })
    await settled()
    return outcome
  }
  const messages = async () => (await me.get(at)).json().data.messages as Array<{ held: boolean }>
  return { address, reply, writeTo, take, messages, unread: () => server.got.splice(0) }
}

/** Two that write to each other, and the mail between them, carried until there is none left. */
async function twoHalls (t: Test) {
  const directory = t.testdir({ one: {}, other: {} })
  const [one, other] = [
    await hall(t, `${directory}/one`, 'one.example'), await hall(t, `${directory}/other`, 'other.example')
  ]
  await one.writeTo(other.address)
  await other.writeTo(one.address)
  for (const { unread } of [one, other]) unread()

  /** The outcome of each mail. `marks`: what systems on its way leave of its headers. */
  async function carry (marks: (mail: Got) => Marks): Promise<string[]> {
    const outcomes: string[] = []
    for (let last = -1; last < outcomes.length && outcomes.length < 200;) {
      last = outcomes.length
      for (const [from, to] of [[one, other], [other, one]] as const) {
        for (const mail of from.unread()) {
          // Like a program that bottom-posts, and quotes nothing.
          const text = mail.mail.text!.split('\n').slice(2).join('\n')
          outcomes.push(await to.take(from.address, mail.to[0]!, text, marks(mail)))
        }
      }
    }
    return outcomes
  }
  return { one, other, carry }
}

t.test('two Agenthalls that write to each other stop at the first mail, by any one of its marks', async (t) => {
  const { one, carry } = await twoHalls(t)
  const keeping = (...names: string[]) => ({ header }: Got) =>
    Object.fromEntries(names.map((name) => [name, header(name)!]))
  for (const [marks, outcome] of [
    [keeping('x-agenthall', 'auto-submitted', 'message-id'), 'ours'], [keeping('x-agenthall'), 'ours'],
    [keeping('auto-submitted'), 'automatic'], [() => ({ precedence: 'bulk' }), 'bulk'],
    [() => ({ 'list-id': '<shoes.example>' }), 'list'], [() => ({ 'return-path': '<>' }), 'report']
  ] as const) {
    await one.reply('We have found them.')
    t.strictSame(await carry(marks), [outcome])
  }
})

t.test('two whose marks are all taken off on the way stop after twenty mails a ticket; the rest is held', async (t) => {
  const { one, other, carry } = await twoHalls(t)
  await one.reply(QUESTION)
  const outcomes = await carry(() => ({}))
  t.ok(outcomes.length > 20 && outcomes.length <= 45, `${outcomes.length} mails`)
  t.equal(outcomes.at(-1), 'held')
  for (const { messages } of [one, other]) {
    const passedOn = (await messages()).filter(({ held }) => !held).length
    t.ok(passedOn >= 15 && passedOn <= 21, `${passedOn} passed on`)
  }
})
