import { spawnSync } from 'node:child_process'
import { createReadStream, mkdirSync, readFileSync, readdirSync, statSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { client, serve } from './server.ts'

/** What a server did with its disk and its clients, in order. */
export type Event =
  | { did: 'write', file: string, at: number, data: Buffer }
  | { did: 'truncate', file: string, to: number }
  | { did: 'remove', file: string }
  | { did: 'sync', file: string }
  /** Sent a response to a client. */
  | { did: 'answer', text: string }

/** A recorded run: the files as they were at its beginning, and what happened to them. */
export interface Recording { before: Map<string, Buffer>, events: Event[] }

const CALLS = 'pwrite64,fsync,fdatasync,ftruncate,write,writev,sendto,unlink'
const FILES = /^agenthall\.db(-wal|-journal)?$/

/** Why nothing can be recorded here, or undefined when it can. */
export function whyNot (): string | undefined {
  const { error, status, stderr } = spawnSync('strace', ['--seccomp-bpf', '-f', '-e', 'trace=fsync', 'true'], {
    encoding: 'utf8'
  })
  return error || status
    ? `strace is missing or may not trace (Debian: apt-get install strace): ${error?.message ?? stderr}`
    : undefined
}

/** Records the creation of `writes` agents over 16 connections. */
export async function record (root: string, writes: number, planted?: string): Promise<Recording> {
  const [directory, trace] = [path.join(root, 'data'), path.join(root, 'trace')]
  mkdirSync(root, { recursive: true })
  const first = await serve(directory)
  await first.stop()
  const before = new Map(
    readdirSync(directory)
      .filter((name) => FILES.test(name))
      .map((name) => [name, readFileSync(path.join(directory, name))])
  )
  const server = await serve(directory, {
    planted,
    tracer: [
      'strace',
      '-ff',
      '-ttt',
      '-T',
      '--seccomp-bpf',
      '-y',
      '-xx',
      '-s',
      '1000000',
      '-e',
      `trace=${CALLS}`,
      '-e',
      'signal=none',
      '-o',
      trace
    ]
  })
  const send = client(server.address, first.key!)
  let next = 0
  await Promise.all(Array.from({ length: 16 }, async () => {
    while (next < writes) {
      const name = `agent-${next++}-`
      const { status } = await send('POST', '/v1/agents/', { name, systemPrompt: name + 'x'.repeat(2000) })
      if (status !== 201) throw new Error(`${status}`)
    }
  }))
  const files = readdirSync(root).filter((name) => name.startsWith('trace.')).map((name) => path.join(root, name))
  // Each thread has a file, named by its number. The main thread writes, another one waits for the disk.
  const main = files.toSorted((a, b) => statSync(b).size - statSync(a).size)[0]!
  process.kill(Number(path.extname(main).slice(1)), 'SIGKILL')
  await server.ended
  return { before, events: await eventsIn(files) }
}

/** The events in the traces of a server's threads by when they ended, up to the calls in which it was killed. */
export async function eventsIn (files: string[]): Promise<Event[]> {
  const events: { event: Event, ended: number }[] = []
  for (const file of files) {
    for await (const line of createInterface({ input: createReadStream(file, 'latin1') })) {
      const [, began = 0, call = '', took = 0] = /^(?:(\d+\.\d+) )?(.*?)(?: <(\d+\.\d+)>)?$/.exec(line)!
      // The call in which the server was killed has no result: whether it was done is unknown, and nothing follows it.
      if (!/\) += -?\d+( |$)/.test(call)) break
      const event = eventOf(call)
      if (event) events.push({ event, ended: Number(began) + Number(took) })
    }
  }
  return events.sort((a, b) => a.ended - b.ended).map(({ event }) => event)
}

/** `pwrite64(24</data/agenthall.db-wal>, "…", 24, 32) = 24`, with all texts in hexadecimal. */
function eventOf (line: string): Event | undefined {
  const [, call = '', rest = ''] = /^(\w+)\((.*)$/.exec(line) ?? []
  if (call === 'unlink') {
    const removed = path.basename(unhex(/^"([^"]*)"/.exec(rest)?.[1]).toString())
    return FILES.test(removed) ? { did: 'remove', file: removed } : undefined
  }
  const target = unhex(/^\d+<([^>]*)>/.exec(rest)?.[1]).toString()
  const data = () => Buffer.concat([...rest.matchAll(/"((?:\\x[0-9a-f]{2})*)"/g)].map(([, text]) => unhex(text)))
  if (/^(socket|TCP)/.test(target)) {
    const text = data().toString()
    return text.startsWith('HTTP/1.1') ? { did: 'answer', text } : undefined
  }
  const name = path.basename(target)
  if (!FILES.test(name)) return undefined
  if (call === 'pwrite64') {
    return { did: 'write', file: name, at: Number(/, (\d+)\) += \d+$/.exec(rest)![1]), data: data() }
  }
  if (call === 'ftruncate') return { did: 'truncate', file: name, to: Number(/, (\d+)\) += 0$/.exec(rest)![1]) }
  if (/^f(data)?sync$/.test(call) && rest.endsWith('= 0')) return { did: 'sync', file: name }
  throw new Error(`What is this? ${line.slice(0, 200)}`)
}

function unhex (text = ''): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex')
}

/** Names of the agents that a response says were created. */
export function madeIn ({ text }: { text: string }): string[] {
  return text.startsWith('HTTP/1.1 201') ? [...text.matchAll(/"name":"(agent-\d+-)"/g)].map(([, name]) => name!) : []
}

/** A disk that loses power: synced data is there; each unsynced write is there, is not, or is there in part. */
export function disk (before: Map<string, Buffer>) {
  const synced = new Map([...before].map(([file, bytes]) => [file, new Content(bytes)]))
  const pending = new Map<string, Change[]>()
  return {
    /**
     * Files with pending writes on the way to the disk. A truncated log is none: its content had been synced in the
     * file before, and is only folded in once more if the truncation is lost.
     */
    unwritten: () => [...pending].filter(([, changes]) => changes.some(({ did }) => did === 'write')).map(([file]) => file),
    see (event: Change | Extract<Event, { did: 'sync' }>) {
      const waiting = pending.get(event.file) ?? []
      pending.set(event.file, waiting)
      if (event.did !== 'sync') waiting.push(event)
      else for (const one of waiting.splice(0)) apply(synced, one)
    },
    /** The files after a power cut now. `random` decides about pending writes; without it, none of them arrived. */
    cut (random?: () => number): Map<string, Buffer> {
      const files = new Map([...synced].map(([file, content]) => [file, new Content(content.bytes)]))
      for (const one of [...pending.values()].flat()) {
        const fate = random?.() ?? 1
        if (fate < 0.4) apply(files, one)
        else if (fate < 0.6 && one.did === 'write') {
          apply(files, { ...one, data: one.data.subarray(0, one.data.length >> 1) })
        }
      }
      return new Map([...files].map(([file, content]) => [file, content.bytes]))
    }
  }
}

type Change = Exclude<Event, { did: 'answer' | 'sync' }>

function apply (files: Map<string, Content>, change: Change) {
  if (change.did === 'remove') files.delete(change.file)
  if (change.did === 'remove') return
  const content = files.get(change.file) ?? new Content(Buffer.alloc(0))
  files.set(change.file, content)
  if (change.did === 'write') content.write(change.at, change.data)
  else content.resize(change.to)
}

/** A byte buffer that grows without being copied each time. */
class Content {
  #room: Buffer
  #length: number

  constructor (bytes: Buffer) {
    this.#room = Buffer.from(bytes)
    this.#length = bytes.length
  }

  get bytes (): Buffer {
    return this.#room.subarray(0, this.#length)
  }

  resize (length: number) {
    if (length > this.#room.length) this.#room = Buffer.concat([this.bytes], length * 2)
    if (length > this.#length) this.#room.fill(0, this.#length, length)
    this.#length = length
  }

  write (at: number, data: Buffer) {
    if (at + data.length > this.#length) this.resize(at + data.length)
    data.copy(this.#room, at)
  }
}
