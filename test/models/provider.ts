import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Test } from 'tap'
import type { Model, ModelPart, ModelRequest, Provider, Wording } from '../../src/models/index.ts'

/** Starts the provider; returns its address, and its requests since the last time. */
export async function startProvider (t: Test) {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'provider-process.ts')], {
    stdio: ['pipe', 'pipe', 'inherit']
  })
  t.teardown(() => { child.kill() })
  const [port] = await once(child.stdout!.setEncoding('utf8'), 'data') as [string]
  const origin = `http://127.0.0.1:${port.trim()}`
  const provider = (kind: Provider['kind'] = 'openai', more: Partial<Provider> = {}): Provider =>
    ({ id: kind, kind, url: `${origin}/v1`, key: () => 'secret-key', isOperators: true, ...more })
  return {
    origin,
    host: `127.0.0.1:${port.trim()}`,
    provider,
    model: (name: string, kind: Provider['kind'] = 'openai', more: Partial<Model> = {}): Model => ({
      name, provider: provider(kind), price: null, context: null, ...more
    }),
    asked: async () =>
      (await (await fetch(`${origin}/asked`)).json()) as Array<{
        method: string, path: string, headers: Record<string, string>, body: string
      }>
  }
}

/** A question. */
export function question (models: readonly Model[], more: Partial<ModelRequest & Wording> = {}): ModelRequest {
  const { system = 'You help.', messages = [{ role: 'user', text: 'Are returns free?' }], ...rest } = more
  return {
    models,
    owner: 1,
    wording: () => ({ system, messages }),
    temperature: 0.7,
    answerTokens: 256,
    ...rest
  }
}

/** The result of an answer: its pieces, and its failure. */
export async function told (parts: AsyncIterable<ModelPart>) {
  const all: ModelPart[] = []
  try {
    for await (const part of parts) all.push(part)
  } catch (error) {
    return { ...summary(all), error: error as Error & { code?: string, detail?: string } }
  }
  return { ...summary(all), error: undefined }
}

function summary (parts: ModelPart[]) {
  return {
    parts,
    text: parts.map((part) => part.type === 'text' ? part.text : '').join(''),
    actions: parts.filter((part) => part.type === 'action').map(({ action, reason }) => `${action} ${reason}`),
    usage: parts.find((part) => part.type === 'usage')?.usage,
    end: parts.find((part) => part.type === 'end'),
    spent: parts.findLast((part) => part.type === 'asked')?.spent()
  }
}
