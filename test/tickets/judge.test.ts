import t from 'tap'
import type { MailReading } from '../../src/reading/mail.ts'
import type { Known } from '../../src/tickets/mail/address.ts'
import { judge } from '../../src/tickets/mail/judge.ts'

const TO = 'help+t_1@ours.example'
const BOUNCE = 'help+b_1@ours.example'
const OURS: Record<string, Known> = {
  [TO]: { ticket: 'tkt_1', side: 'business' }, [BOUNCE]: { ticket: 'tkt_1', side: 'bounce' }
}
const IDS: Record<string, Known> = { '<t.2@ours.example>': { ticket: 'tkt_2', side: 'requester' } }
const FAILED = { action: 'failed', status: '5.1.1', detail: 'No such mailbox' }

/** The outcome of a mail that a person wrote to us, except for these things. */
function judged (mail: Partial<MailReading>) {
  const whole: MailReading = {
    from: 'ada@visitor.example',
    fromName: 'Ada',
    to: ['other@visitor.example', TO],
    subject: 'Re: anything',
    messageId: '<1@visitor.example>',
    references: [],
    text: 'Thank you',
    attachments: [],
    marks: {},
    report: null,
    ...mail
  }
  return judge(whole, { read: (address) => OURS[address], readId: (id) => IDS[id] })
}

const why = (mail: Partial<MailReading>) => {
  const verdict = judged(mail)
  return verdict.kind === 'dropped' ? verdict.why : verdict.kind
}
const text = (mail: Partial<MailReading>) => {
  const verdict = judged(mail)
  return verdict.kind === 'message' ? verdict.text : verdict
}

t.test('what a person writes to one of our addresses is a message to its ticket, from its side', (t) => {
  t.strictSame(judged({}), {
    kind: 'message', ticket: 'tkt_1', side: 'business', from: 'ada@visitor.example', text: 'Thank you'
  })
  t.end()
})

t.test('marks of programs drop a mail, each with its reason, and what is no mark does not', (t) => {
  for (const [marks, expected] of [
    [{ 'x-agenthall': '' }, 'ours'],
    [{ 'return-path': '<>' }, 'report'],
    [{ 'return-path': '< >' }, 'report'],
    [{ 'return-path': '<ada@visitor.example>' }, 'message'],
    [{ 'auto-submitted': 'auto-replied' }, 'automatic'],
    [{ 'auto-submitted': 'no' }, 'message'],
    [{ 'auto-submitted': 'no ; by=x' }, 'message'],
    [{ 'auto-submitted': 'auto-generated; no' }, 'automatic'],
    [{ 'x-autoreply': '' }, 'automatic'],
    [{ 'x-autorespond': '' }, 'automatic'],
    [{ precedence: 'bulk' }, 'bulk'],
    [{ precedence: 'list' }, 'bulk'],
    [{ precedence: 'junk' }, 'bulk'],
    [{ precedence: 'auto_reply' }, 'bulk'],
    [{ precedence: 'first-class' }, 'message'],
    [{ 'list-id': '' }, 'list'],
    [{ 'content-type': 'multipart/report; report-type=x' }, 'report'],
    [{ 'content-type': 'multipart/mixed' }, 'message']
  ] as const) t.equal(why({ marks }), expected, JSON.stringify(marks))
  t.equal(why({ messageId: '<t.2@ours.example>' }), 'ours', 'our own mail that came back')
  t.equal(why({ messageId: null }), 'message')
  t.end()
})

t.test('without an address of ours, a sender or words there is no message', (t) => {
  t.equal(why({ to: ['help@ours.example'] }), 'not_addressed')
  t.equal(why({ to: [] }), 'not_addressed')
  t.equal(why({ to: [BOUNCE] }), 'not_addressed', 'no person writes there')
  t.equal(why({ from: null }), 'no_sender')
  t.equal(why({ text: ' \n' }), 'empty')
  t.end()
})

t.test('a report fails the ticket that it is about, by our address or the id of our mail, if it says failed', (t) => {
  const bounced = { kind: 'bounced', ticket: 'tkt_1', detail: 'No such mailbox' }
  t.strictSame(judged({ to: ['x@y.example', BOUNCE], report: FAILED }), bounced)
  t.strictSame(
    judged({ to: [TO], references: ['<x@y.example>', '<t.2@ours.example>'], report: FAILED }),
    { ...bounced, ticket: 'tkt_2' },
    'an address that is not for reports says nothing'
  )
  t.strictSame(judged({ to: [BOUNCE], report: { ...FAILED, detail: '' } }), { ...bounced, detail: '5.1.1' })
  t.equal(why({ to: [BOUNCE], report: { ...FAILED, action: 'delayed' } }), 'report')
  t.equal(why({ to: [], report: FAILED }), 'report', 'of nobody knows what')
  t.equal(why({ to: [BOUNCE], marks: { 'content-type': 'multipart/report' } }), 'report', 'that says nothing')
  t.end()
})

t.test('only what was written anew is kept: nothing below our line or the head of a quotation', (t) => {
  const above = '--- Please write above this line ---'
  for (const head of [
    above, `> ${above}`, 'On Monday Ada wrote:', '> On Monday Ada wrote:', 'Am Montag schrieb Ada:', 'Le lundi Ada a écrit :',
    'Le lundi Ada a écrit:', 'El lunes Ada escribió:', '-----Original Message-----', '--- Ursprüngliche Nachricht ---',
    '---- Forwarded Message ----  '
  ]) {
    t.equal(text({ text: `Thank you\n\nAda\n\n${head}\nold\nwords` }), 'Thank you\n\nAda', head)
    t.equal(why({ text: `${head}\nold` }), 'empty', `${head} first`)
  }
  for (const line of ['On Monday it rains.', 'Original message', 'He wrote: no', `On ${'x'.repeat(201)} wrote:`]) {
    t.equal(text({ text: `One\n${line}\nTwo` }), `One\n${line}\nTwo`, line)
  }
  t.equal(text({ text: 'One\r\n> quoted\r\nTwo\r\n> quoted\r\n\r\n>\r\n' }), 'One\n> quoted\nTwo', 'quotations below go')
  t.equal(why({ text: '> quoted' }), 'empty')
  t.end()
})

t.test('files are named, since they are not taken in; a message has 20,000 characters', (t) => {
  t.equal(text({ attachments: ['a.pdf', 'b.pdf'] }), 'Thank you\n[a.pdf: files are not accepted]\n[b.pdf: files are not accepted]')
  t.equal(text({ text: '', attachments: ['a.pdf'] }), '[a.pdf: files are not accepted]')
  t.equal(text({ text: 'x'.repeat(20_001) }), 'x'.repeat(20_000))
  t.end()
})
