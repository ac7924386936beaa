import '../bare-children.ts'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Test } from 'tap'

/** The program as an operator has it: run as processes on one data directory, from source or packed. */
export interface Program {
  /**
   * Runs a command to its end. This process goes on meanwhile: a connection that the server closes as idle must not be
   * taken for an open one afterwards.
   */
  cli (...args: string[]): Promise<{ code: number | null, out: string, note: string }>
  /** Starts the server and resolves once it has printed where it listens. */
  serve (): Promise<Server>
}

export interface Server {
  address: string
  /** The first user's key, if this start created one. */
  firstKey: string | undefined
  /** Milliseconds from the start of the process to its first response. */
  startedMs: number
  /** Its whole output for people. */
  notes (): string
  /** Sends SIGTERM and resolves to the exit code. */
  stop (): Promise<number | null>
}

/**
 * `command`: what an operator types before `serve`. Nothing of this process's environment is passed on except what
 * finds the home directory.
 */
export function programOn (t: Test, command: string[], data: string, settings: Record<string, string> = {}): Program {
  const [file = '', ...first] = command
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, AGENTHALL_DATA: data, AGENTHALL_PORT: '0', ...settings }
  return {
    async cli (...args) {
      const { promise, resolve } = Promise.withResolvers<{ code: number | null, out: string, note: string }>()
      const child = execFile(file, [...first, ...args], { env, encoding: 'utf8', maxBuffer: 2 ** 26 }, (_, out, note) =>
        resolve({ code: child.exitCode, out, note })
      )
      return await promise
    },
    async serve () {
      const began = performance.now()
      const child = spawn(file, [...first, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] })
      const gone = once(child, 'exit')
      t.teardown(() => child.kill('SIGKILL'))
      let notes = ''
      const address = await new Promise<string>((resolve, reject) => {
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          notes += text
          const listening = /listens on (http:\/\/[^/\s]+) /.exec(notes)
          if (listening) resolve(listening[1]!)
        })
        gone.then(([code]) => reject(new Error(`the server ended with ${code}: ${notes}`)), reject)
      })
      await (await fetch(`${address}/healthz`)).text()
      const startedMs = performance.now() - began
      return {
        address,
        firstKey: /^ {2}(agh_\S+)$/m.exec(notes)?.[1],
        startedMs,
        notes: () => notes,
        async stop () {
          child.kill('SIGTERM')
          const [code] = await gone
          return code
        }
      }
    }
  }
}

/** A client of a server that sends this key; bodies and answers are JSON. */
export function client (address: string, key?: string) {
  const call = (method: string) => async (path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(address + path, {
      method,
      headers: {
        ...(key !== undefined && { authorization: `Api-Key ${key}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers
      },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text && response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : undefined
    }
  }
  return { get: call('GET'), post: call('POST'), put: call('PUT'), delete: call('DELETE') }
}
