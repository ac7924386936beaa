import '../bare-children.ts'
import t from 'tap'
import { mended } from '../../src/models/providers/lines.ts'

const said = (content: string, more: object = {}, delta: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content, ...delta }, finish_reason: null }], ...more })}\n\n`
const mend = (lines: string) => mended(Buffer.from(lines)).toString()

t.test('words that came together are handed on as one event', async (t) => {
  // Was wrong: each word went through the provider's library separately, which cost half a core at 25,000 per second.
  t.equal(mend(said('So ') + said('it ') + said('is.')), said('So it is.'))
  const end = 'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
  t.equal(mend(said('So ') + said('it ') + end), said('So it ') + end)
  const written = 'A "word" \\ \n \ud83d'
  t.equal(mend(said(written) + said('\ude00') + said(written)), said(`${written}\ude00${written}`).replace('😀', '\\ud83d\\ude00'))
  t.equal(mend(said('a', { created: 1 }) + said('b', { created: 2 })), said('ab', { created: 1 }))
  t.equal(mend(said('So ') + said('it ') + 'data: {"choices"'), said('So it ') + 'data: {"choices"', 'the rest is kept')
})

t.test('an event that says anything beside words, or cannot be read, stays as it came and where it came', async (t) => {
  const others = [
    said('x', { usage: { prompt_tokens: 1 } }),
    said('x', { error: { message: 'overloaded' } }),
    said('x', {}, { reasoning_content: 'hm' }),
    said('x', { choices: [] }),
    said('x', { choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] }),
    said('x', { choices: [{ index: 0 }] }),
    said('x', { content: 'x' }),
    said('x').replace('"x"', '"x" "'),
    ': ping\n\n',
    'data: {"choices":\n\n',
    'event: message\ndata: {}\n\n'
  ]
  for (const other of others) {
    t.equal(mend(said('a') + said('b') + other + said('c') + said('d')), said('ab') + other + said('cd'), other)
  }
  const windows = (said('a') + said('b')).replaceAll('\n', '\r\n')
  t.equal(mend(windows), windows)
})

t.test('counts of tokens that are no numbers are left out, all others handed on as they are', async (t) => {
  const eventWith = (usage: unknown) => `data: ${JSON.stringify({ choices: [], usage })}\n\n`
  const possible = [
    null,
    { prompt_tokens: 1, prompt_tokens_details: { cached_tokens: 0 }, is_byok: false },
    { total_tokens: null, cost_details: null }
  ]
  for (const usage of possible) t.equal(mend(eventWith(usage)), eventWith(usage))
  const impossible = [
    { prompt_tokens: '1' }, { prompt_tokens_details: { cached_tokens: '0' } }, { completion_tokens_details: 'none' }
  ]
  for (const usage of impossible) t.equal(mend(eventWith(usage)), 'data: {"choices":[]}\n\n')
  t.equal(mend('data: {"usage": {\n\n'), 'data: {"usage": {\n\n', 'what cannot be read is handed on')
})

t.test('a tool\'s arguments that come as an object are handed on as text', async (t) => {
  const call = (args: unknown) => said('', { choices: [{ delta: { tool_calls: [{ function: { arguments: args } }] } }] })
  t.equal(mend(call({ action: 'handoff' })), call('{"action":"handoff"}'))
  t.equal(mend(call('{"action":"handoff"}')), call('{"action":"handoff"}'))
  t.equal(mend('data: {"arguments": {\n\n'), 'data: {"arguments": {\n\n', 'what cannot be read is handed on')
})
