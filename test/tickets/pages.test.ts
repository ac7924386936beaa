import t from 'tap'
import type { TicketMessage } from '../../schema/tickets.ts'
import type { Outgoing, TicketProvider } from '../../src/tickets/providers/base/contract.ts'
import { freshdesk } from '../../src/tickets/providers/freshdesk.ts'
import { github } from '../../src/tickets/providers/github.ts'
import type { Api } from '../../src/tickets/providers/base/http.ts'
import { hubspot } from '../../src/tickets/providers/hubspot.ts'
import { jira } from '../../src/tickets/providers/jira.ts'
import { markOf } from '../../src/tickets/providers/base/text.ts'
import { fixedClock } from '../helper.ts'

const SIGNAL = new AbortController().signal
const URL_OF_THEIRS = 'https://provider.example'
const OUTGOING = { ticket: { created_at: '2026-01-01T00:00:00.000000Z' } } as Outgoing

/** A provider's API that lists things in pages of 100, as each provider expects it. */
function listing (list: unknown[], shape: (part: unknown[], isLast: boolean) => unknown) {
  const asked: string[] = []
  const api: Api = {
    async ask<T> (_method: string, path: string): Promise<T> {
      asked.push(path)
      const { searchParams: query } = new URL(path, 'https://provider.example')
      const from = query.has('start') ? Number(query.get('start')) : (Number(query.get('page') ?? 1) - 1) * 100
      return shape(list.slice(from, from + 100), from + 100 >= list.length) as T
    }
  }
  return { api, asked }
}

/** How each of them is opened with one of our APIs. */
const opening = (api: Api) => ({ connect: () => api, url: URL_OF_THEIRS, clock: fixedClock() })
const openGithub = (api: Api) =>
  github.open({ ...opening(api), settings: { repository: 'example/support' }, credentials: { token: 'x' } })

const plain = (part: unknown[]) => part
const values = (part: unknown[], isLast: boolean) => ({ values: part, isLastPage: isLast })
const many = (n: number, one: object, last: object) => [...Array.from({ length: n - 1 }, () => one), last]

t.test('what was written to a provider is found behind a hundred other things', async (t) => {
  // Was wrong: only the first 100 were checked, so that a comment whose sending was interrupted was written twice.
  const mark = markOf('key-1')
  const kinds: Record<string, [(api: Api) => TicketProvider, string, typeof plain | typeof values]> = {
    github: [(api) => openGithub(api), 'body', plain],
    jira: [
      (api) => jira.open({
        ...opening(api),
        settings: { url: URL_OF_THEIRS, service_desk: '1', request_type: '2' },
        credentials: { email: 'a@b.example', token: 'x' }
      }),
      'body',
      values
    ],
    freshdesk: [
      (api) => freshdesk.open({ ...opening(api), settings: { url: URL_OF_THEIRS }, credentials: { token: 'x' } }),
      'body_text',
      plain
    ]
  }
  for (const [kind, [open, field, shape]] of Object.entries(kinds)) {
    const comments = (n: number, text: string) => listing(many(n, { [field]: 'Something' }, { [field]: text }), shape)
    for (const n of [1, 100, 101, 350]) {
      t.equal(await open(comments(n, `Text ${mark}`).api).hasComment('7', 'key-1', SIGNAL), true, `${kind}: ${n}`)
      const none = comments(n, 'Nothing of ours')
      t.equal(await open(none.api).hasComment('7', 'key-1', SIGNAL), false)
      t.ok(none.asked.length <= n / 100 + 1, 'no more pages are asked for than there are')
    }
    const endless = listing(many(20_000, { [field]: 'Something' }, { [field]: mark }), shape)
    t.equal(await open(endless.api).hasComment('7', 'key-1', SIGNAL), false)
    t.equal(endless.asked.length, 50, 'there is an end')
  }
  const issues = listing(many(250, { number: 1, html_url: 'x', body: null }, { number: 9, html_url: 'y', body: mark }), plain)
  t.strictSame(await openGithub(issues.api).find('key-1', OUTGOING, SIGNAL), {
    externalId: '9', externalUrl: 'y'
  })
  t.match(issues.asked[2], '/repos/example/support/issues?per_page=100&page=3&labels=agenthall&state=all&since=2025-12-31T23')
  const request = (text: string) => ({ issueKey: text, requestFieldValues: [{ fieldId: 'description', value: text }] })
  const requests = listing(many(250, request('x'), request(mark)), values)
  t.match(await kinds['jira']![0](requests.api).find('key-1', OUTGOING, SIGNAL), { externalId: mark })
})

t.test('a note in HubSpot shows what was written: its line breaks and what looks like a tag', async (t) => {
  // Was wrong: HubSpot reads notes as HTML.
  const bodies: unknown[] = []
  const api: Api = {
    async ask<T> (_method: string, _path: string, _signal: AbortSignal, body?: unknown): Promise<T> {
      bodies.push(body)
      return {} as T
    }
  }
  const message = { role: 'visitor', from: 'Ada & Co', text: 'Is 3 < 5?\n<b>Yes</b>' } as TicketMessage
  const notes = hubspot.open({ ...opening(api), settings: {}, credentials: { token: 'x' } })
  await notes.comment('7', message, 'key-1', SIGNAL)
  t.match(bodies, [{
    properties: {
      hs_note_body: `Ada &amp; Co:<br><br>Is 3 &lt; 5?<br>&lt;b&gt;Yes&lt;/b&gt;<br><br>${markOf('key-1')}`
    }
  }])
})
