import { createInterface } from 'node:readline/promises'
import { Readable } from 'node:stream'
import type { Command } from 'commander'
import type { MessageRecord } from '../../schema/conversations.ts'
import { topicOf } from '../conversations/index.ts'
import { Refusal } from '../platform/errors.ts'
import type { Stores } from '../stores.ts'
import { command, idFrom, plain, print, withStores, type CommonOptions, type CliIo } from './common.ts'

/** `chat --agent ID [QUESTION]`: talks to an agent in the terminal. */
export function chatCommand (io: CliIo): Command {
  return command(
    'chat', 'talk to an agent in the terminal', 'chat --agent 1',
    'chat --agent 1 "How long do I have to return something?"'
  )
    .argument('[question...]', 'ask this and exit; without it, lines are read until the end of input')
    .requiredOption('--agent <id>', 'the agent, as its address shows it')
    .action(async (question: string[], options: CommonOptions & { agent: string }) => {
      await withStores(
        io, options, async (stores) => await chat(io, stores, options, question.join(' ').trim())
      )
    })
}

/** `ask AGENT QUESTION`: one question, for scripts. */
export function askCommand (io: CliIo): Command {
  return command('ask', 'ask an agent one question', 'ask 1 "How long do I have to return something?" --json')
    .argument('<agent>', 'the agent, as its address shows it')
    .argument('<question...>', 'what to ask')
    .action(async (agent: string, question: string[], options: CommonOptions) => {
      await withStores(
        io, options, async (stores) => await chat(io, stores, { ...options, agent }, question.join(' ').trim())
      )
    })
}

async function chat (
  io: CliIo, stores: Stores, options: CommonOptions & { agent: string }, question: string
) {
  const agent = idFrom(options.agent, 'agent')
  const owner = await stores.agents.ownerOf(agent)
  const begun = owner === undefined ? undefined : await stores.conversations.talk.begin(owner, agent, 'console', {})
  if (owner === undefined || !begun) throw new Refusal('not_found', `There is no agent ${agent}.`)
  const write = io.write ?? io.out
  const asking = { io, stores, owner, conversation: begun.answer.id }
  if (question) {
    const answer = await ask(asking, question, options.json ? undefined : write)
    if (options.json) print(io, options, answer, () => '')
    return
  }
  io.note(`Talking to agent ${agent}. An empty line or Ctrl-D ends it.`)
  for await (const line of linesOf(io.input ?? Readable.from([]))) {
    if (line.trim() === '') return
    await ask(asking, line.trim(), write)
  }
}

interface Asking { io: CliIo, stores: Stores, owner: number, conversation: string }

/** Asks, prints the answer as it arrives with its sources below, and returns it. */
async function ask (
  { io, stores, owner, conversation }: Asking, text: string, write: ((text: string) => void) | undefined
): Promise<MessageRecord> {
  const { talk } = stores.conversations
  let shown = 0
  const show = (all: string) => {
    // Half of a surrogate pair is held back until the other half arrives.
    const until = /[\ud800-\udbff]$/.test(all) ? all.length - 1 : all.length
    if (until > shown) write?.(plain(all.slice(shown, until)))
    shown = Math.max(shown, until)
  }
  const stop = stores.notifier.subscribe(topicOf(conversation), () => show(talk.runs.of(conversation)?.text.whole() ?? ''))
  try {
    const received = await talk.say(owner, conversation, { text, client_id: null, attachments: [] })
    const answer = received && (await talk.answerTo(owner, conversation, received.message))
    if (!answer) throw new Refusal('not_found', 'The conversation was deleted meanwhile.')
    show(answer.text)
    write?.('\n')
    if (write) for (const line of sourcesOf(answer)) io.out(line)
    return answer
  } finally {
    stop()
  }
}

function sourcesOf ({ citations, suggestions, error }: MessageRecord): string[] {
  const sources = citations.map(({ n, title, url, page }) =>
    plain(`  [${n}] ${title}${page === null ? '' : `, page ${page}`}${url ? ` – ${url}` : ''}`)
  )
  return [...sources, ...suggestions.map((suggestion) => plain(`  → ${suggestion}`)), ...(error ? [error.message] : [])]
}

async function * linesOf (input: Readable): AsyncGenerator<string> {
  const lines = createInterface({ input })
  try {
    yield * lines
  } finally {
    lines.close()
  }
}
