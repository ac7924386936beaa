import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Test } from 'tap'
import { openLife, type Kernel } from '../../src/kernel/index.ts'
import { alone } from '../../src/platform/neighbours/alone.ts'
import { respond } from '../../src/reading/child.ts'
import { openKnowledge } from '../../src/sources/index.ts'
import { openWorker } from '../../src/platform/work/worker.ts'
import { jobsIn } from '../../src/platform/storage/sqlite/jobs.ts'
import type { Sandbox, Step } from '../../src/platform/process/sandbox.ts'
import { build, draft } from '../helper.ts'

/**
 * The sandbox without its processes: the same work, fast enough for hundreds of trainings. `before` may look, wait or
 * throw.
 */
export function inProcess (before: (step: Step) => unknown = () => undefined): Sandbox {
  return {
    async * run (step) {
      const message = await buffer(Readable.from(step.input))
      await before(step)
      for await (const said of respond(message)) {
        step.signal?.throwIfAborted()
        yield JSON.parse(JSON.stringify(said))
      }
    }
  }
}

export type Built = Awaited<ReturnType<typeof build>>
export type Client = Awaited<ReturnType<Built['user']>>

/**
 * Knowledge's background work beside a built app, as production opens it, restarted and run to its end; all of it is
 * real except where the sandbox runs and how long other servers may take. `patienceWith`: aborted when a source took
 * too long.
 */
export async function train (
  t: Test,
  { config, stores: { kernel }, clock }: Built,
  {
    sandbox = inProcess(), accountFile = null as string | null, api = undefined as string | undefined,
    faults = undefined as unknown[] | undefined, patienceWith = (_source: number) => new AbortController().signal
  } = {}
) {
  const jobs = jobsIn(kernel.db, clock, alone(clock))
  const worker = openWorker({ queue: jobs.queue, clock })
  const life = openLife({ worker, clock, leads: () => true, neighbours: alone(clock) })
  const patient: Kernel['worker'] = {
    ...worker,
    handle: (kind, { run, ...handler }) =>
      worker.handle(kind, {
        ...handler, run: (job, signal, here) => run(job, AbortSignal.any([signal, patienceWith(job.subject)]), here)
      })
  }
  openKnowledge({
    ...kernel,
    ...life,
    jobs,
    worker: patient,
    config: { ...config, ALLOWED_HOSTS: ['127.0.0.1'], GOOGLE_SERVICE_ACCOUNT: accountFile ?? '' }
  }, { outside: { sandbox, limits: { headersMs: 15_000, totalMs: 30_000 }, ...(api && { driveApi: api }) } })
  const { settled } = await life.work((error) => {
    if (faults) faults.push(error)
    else t.fail('background work failed', { error })
  })
  t.teardown(life.close)
  return { settled, stop: life.close }
}

/** Trains everything that is waiting, and wipes what was deleted. */
export async function trainAll (t: Test, built: Built, options: Parameters<typeof train>[2] = {}) {
  const worker = await train(t, built, options)
  await worker.settled()
  await worker.stop()
}

/** A new agent of a client, with helpers for its knowledge. */
export async function agentOf (as: Client, body: object = {}) {
  const { id } = (await as.post('/v1/agents/', { ...draft, ...body })).json().data
  const at = `/v1/agents/${id}`
  const sources = `${at}/knowledge_sources`
  const data = async (answer: ReturnType<Client['get']>) => (await answer).json().data
  return {
    id: id as number,
    at,
    sources,
    add: async (body: object) => (await data(as.post(sources, body)))[0],
    read: async (sid: number) => await data(as.get(`${sources}/${sid}`)),
    list: async (query = '') => (await data(as.get(sources + query))) as Array<Record<string, any>>,
    train: async (sid: number) => await data(as.post(`${sources}/${sid}/train`)),
    replace: async (sid: number, body: object) => await data(as.put(`${sources}/${sid}`, body)),
    text: async (sid: number) => (await as.get(`${sources}/${sid}/text`)).body,
    search: async (query: string, limit?: number) =>
      (await data(as.post(`${at}/search`, { query, ...(limit !== undefined && { limit }) }))) as Array<
        Record<string, any>
      >,
    used: async () => (await data(as.get(at))).total_training_usage_bytes as number
  }
}

/** What the file contains besides the rows that a person sees: none of it may be left behind. */
export function leftovers ({ stores: { db: { raw } } }: Built) {
  const count = (sql: string) => raw.prepare(sql).pluck().get() as number
  return {
    blobs: count(
      'select count(*) from blobs where id not in (select file_blob from knowledge_sources where file_blob is not null union select text_blob from knowledge_sources where text_blob is not null)'
    ),
    chunks: count('select count(*) from blob_chunks where blob not in (select id from blobs)'),
    secrets: count(
      'select (select coalesce(sum(live), 0) from secret_pages) - (select count(secret) from blobs) - (select count(secret) + count(words_secret) from trainings) - (select count(*) from agent_versions)'
    ),
    trainings: count(
      "select count(*) from trainings where state <> 'live' or source not in (select id from knowledge_sources)"
    ),
    passages: count('select count(*) from passage_groups where training not in (select id from trainings)'),
    // The server's own work (subject 0) is always queued; the removal of a deleted agent:
    // test/privacy/deleting.test.ts.
    jobs: count(
      "select count(*) from jobs where subject <> 0 and kind <> 'agents.remove' and subject not in (select id from knowledge_sources)"
    )
  }
}

export const NOTHING_LEFT = { blobs: 0, chunks: 0, secrets: 0, trainings: 0, passages: 0, jobs: 0 }

/** Parts of a multipart/form-data body, as `inject` and `fetch` send it. */
export function form (...parts: Array<{ name: string, file?: string, type?: string, body: string | Uint8Array }>) {
  const boundary = 'between-parts-4711'
  const body = Buffer.concat(
    [
      ...parts.flatMap(({ name, file, type, body }) => [
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${file === undefined ? '' : `; filename="${file}"`}\r\n${file === undefined && !type ? '' : `Content-Type: ${type ?? 'application/octet-stream'}\r\n`}\r\n`,
        body,
        '\r\n'
      ]),
      `--${boundary}--\r\n`
    ].map((part) => Buffer.from(part as string))
  )
  return [body, { 'content-type': `multipart/form-data; boundary=${boundary}` }] as const
}

/** A web server on loopback; returns its address without a trailing slash. */
export async function serve (t: Test, answer: RequestListener): Promise<string> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => { server.closeAllConnections(); server.close() })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
