import type { ConfigApplied, ConfigApply, ConfigDraft, ConfigFile, ConfigPlan, ConfigState } from '../../../schema/config.ts'
import type { Actor } from '../../config-as-code/index.ts'
import { errorMessage, invalid, Refusal, type RefusalCode } from '../../platform/errors.ts'
import { egress } from '../../platform/net/egress.ts'
import type { Stores } from '../../stores.ts'
import { VERSION } from '../../version.ts'
import { actorOf } from '../agents.ts'
import { configOf, onCommandLine, withStores, type CommonOptions, type CliIo } from '../common.ts'
import { untilDone } from '../working.ts'

/** The account: in the data directory, or on a remote server. */
export interface TargetOptions extends CommonOptions { user?: string, url?: string }

/** The account that files are exported from and applied to. */
export interface Target {
  exported (agent?: string): Promise<Array<{ path: string, bytes: Buffer }>>
  plan (draft: ConfigDraft): Promise<ConfigPlan>
  apply (asked: ConfigApply): Promise<ConfigApplied>
  state (): Promise<ConfigState>
  /** Waits until everything in the files is trained. */
  trained (): Promise<void>
}

/** Maximum bytes of a response and its timeout; how often training is polled. */
const [MOST_BYTES, LONGEST_MS, LOOK_MS] = [128 * 2 ** 20, 10 * 60_000, 1000]
const KEY = 'AGH_API_KEY'

/** Does work on an account. */
export async function onTarget<T> (
  io: CliIo, options: TargetOptions, work: (target: Target) => Promise<T>
): Promise<T> {
  if (options.url !== undefined) return await elsewhere(io, options.url, work)
  return await withStores(io, options, async (stores) => {
    return await work(here({ io, options, stores, ...await actorOf(stores, options.user) }))
  })
}

function here (
  { io, options, stores, owner, actor }:
  { io: CliIo, options: TargetOptions, stores: Stores, owner: number, actor: Actor }
): Target {
  const config = stores.configAsCode
  return {
    async exported (agent) {
      const files = []
      for (const { path, bytes } of await config.exported(owner, actor, agent)) {
        files.push({ path, bytes: await bytes() })
      }
      return files
    },
    plan: (draft) => config.plan(owner, actor, draft),
    apply: (asked) =>
      onCommandLine(stores, owner, 'applyConfig', 'config/apply', () => config.apply(owner, actor, asked)),
    state: () => config.state(owner),
    async trained () {
      await untilDone({ io, stores, directory: configOf(io, options).DATA }, async () => {
        const { training } = await config.state(owner)
        io.progress?.(training > 0 ? `${training} sources are still to be trained` : '')
        return training === 0
      })
    }
  }
}

/** An account of a remote server, accessed with a key. */
async function elsewhere<T> (io: CliIo, url: string, work: (target: Target) => Promise<T>): Promise<T> {
  const key = io.env[KEY]
  if (!URL.canParse(url)) throw invalid({ field: 'url', message: `--url ${url} is not an address, such as https://chat.example.com.` })
  if (!key) throw invalid({ field: 'url', message: `--url needs a key in ${KEY}.` })
  const out = egress({
    // The server named on this command line may be reached, wherever it is.
    allowedHosts: [new URL(url).host], userAgent: `Agenthall/${VERSION}`, limits: { headersMs: LONGEST_MS, totalMs: LONGEST_MS }
  })
  async function ask<A> (path: string, body?: object): Promise<A> {
    const { bytes, status } = await out.fetch(new URL(`/v1/${path}`, url).href, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Api-Key ${key}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      maxBytes: MOST_BYTES,
      redirect: 'manual',
      anyStatus: true
    }).catch((error) => { throw new Refusal('unavailable', `${url} cannot be reached: ${errorMessage(error)}`, { cause: error }) })
    const { data, error } = answerOf(Buffer.from(bytes).toString())
    if (status === 200 && data !== undefined) return data as A
    throw error
      ? new Refusal(error.code, error.message, { details: error.details ?? [] })
      : new Refusal('unavailable', `${url} answered ${status}, and not as an Agenthall server does.`)
  }
  const state = () => ask<ConfigState>('config/state')
  try {
    return await work({
      async exported (agent) {
        const query = agent === undefined ? '' : `?agent_key=${encodeURIComponent(agent)}`
        const { files } = await ask<{ files: ConfigFile[] }>(`config${query}`)
        return files.map(({ path, text, base64 }) => (
          { path, bytes: text === undefined ? Buffer.from(base64!, 'base64') : Buffer.from(text) }
        ))
      },
      plan: (draft) => ask('config/plan', draft),
      apply: (asked) => ask('config/apply', asked),
      state,
      async trained () {
        for (;;) {
          const { training } = await state()
          io.progress?.(training > 0 ? `${training} sources are still to be trained` : '')
          if (training === 0) return
          await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
        }
      }
    })
  } finally {
    await out.close()
  }
}

interface Answer {
  data?: unknown
  error?: { code: RefusalCode, message: string, details?: Array<{ field: string, message: string }> }
}

function answerOf (text: string): Answer {
  try {
    return JSON.parse(text) as Answer
  } catch {
    return {}
  }
}
