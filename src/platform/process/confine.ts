import { execFile } from 'node:child_process'
import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { lazily } from '../lazily.ts'
import { errorCode } from '../errors.ts'

/** How the system itself isolates a child, besides Node's permission model. */
export interface Confinement {
  /** Goes before the child's command. */
  prefix: () => string[]
  /** Whether the system ends a child whose server is gone; if not, the child has to watch over itself. */
  endsWithParent: boolean
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Unused user ids: each child gets another, so that none can signal or inspect the server or another child. */
const FIRST_USER = 2_000_000_000
const USERS = 100_000
const NO_MORE_RIGHTS = ['--no-new-privs', '--pdeathsig', 'KILL']
/** A network without any route out, and no shared memory of others. */
const OWN_NETWORK = ['--net', '--ipc']

/** No isolation, for systems that offer none. */
export const unconfined: Confinement = { prefix: () => [], endsWithParent: false }

/** The strictest confinement that this system allows for a child; tried out once, with the tools of util-linux. */
export const confinement: () => Promise<Confinement> =
  lazily(() => firstThatWorks(process.platform === 'linux' ? waysAs(process.getuid!()) : []))

/** The first of several confinements that works here; `unconfined` when there is none. */
export async function firstThatWorks (ways: Confinement['prefix'][]): Promise<Confinement> {
  for (const prefix of ways) {
    if (await works(prefix())) return { prefix, endsWithParent: true }
  }
  return unconfined
}

/** Ways to start a child, the strictest first. */
export function waysAs (uid: number): Confinement['prefix'][] {
  let started = 0
  const asNobody = () => {
    const user = FIRST_USER + started++ % USERS
    return [
      'setpriv',
      `--reuid=${user}`,
      `--regid=${user}`,
      '--clear-groups',
      '--inh-caps=-all',
      '--bounding-set=-all',
      ...NO_MORE_RIGHTS
    ]
  }
  const asMyself = () => ['setpriv', ...NO_MORE_RIGHTS]
  if (uid === 0) return [() => ['unshare', ...OWN_NETWORK, '--', ...asNobody()], asNobody, asMyself]
  // Without root it stays the same user; with a separate PID namespace the child cannot address the server.
  return [() => [...asMyself(), 'unshare', '--user', ...OWN_NETWORK, '--pid', '--fork', '--kill-child', '--'], asMyself]
}

/** Errors that say nothing about a confinement: the machine lacked the resources to start a program. */
const SHORT_OF = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']

/** Whether a program started this way can run and read its own code. Rejects while no program can be started. */
async function works (prefix: string[]): Promise<boolean> {
  const [program = '', ...rest] = prefix
  const run = (...command: string[]) =>
    promisify(execFile)(program, [...rest, ...command], { env: {}, timeout: 10_000 })
  try {
    await run(process.execPath, '--version')
    if (!isSea()) {
      await run('cat', `${ROOT}package.json`, `${ROOT}src/main.ts`, `${ROOT}node_modules/fflate/package.json`)
    }
    return true
  } catch (error) {
    if (SHORT_OF.includes(errorCode(error))) throw error
    return false
  }
}
