import { execFile } from 'node:child_process'
import { isSea } from 'node:sea'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { lazily } from '../lazily.ts'

/** How the system itself keeps a child from what is not its business, beside Node's permission model. */
export interface Confinement {
  /** What stands before the child's command. */
  prefix: () => string[]
  /** Whether the system ends a child whose server is gone; where it does not, the child has to watch over itself. */
  endsWithParent: boolean
}

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
/** Users that nobody is: each child is another's, so that none can signal or look into the server or another child. */
const FIRST_USER = 2_000_000_000
const USERS = 100_000
const NO_MORE_RIGHTS = ['--no-new-privs', '--pdeathsig', 'KILL']
/** A network without any way out, and no shared memory of others. */
const OWN_NETWORK = ['--net', '--ipc']

/** What a child may use where the system offers nothing. */
export const unconfined: Confinement = { prefix: () => [], endsWithParent: false }

/**
 * The strictest way in which this system lets a child of ours be started; tried out once, with the tools of util-linux.
 */
export const confinement: () => Promise<Confinement> =
  lazily(() => firstThatWorks(process.platform === 'linux' ? waysAs(process.getuid!()) : []))

/** The first of some ways in which a child can be started here; `unconfined` when there is none. */
export async function firstThatWorks (ways: Confinement['prefix'][]): Promise<Confinement> {
  for (const prefix of ways) {
    if (await works(prefix())) return { prefix, endsWithParent: true }
  }
  return unconfined
}

/** Ways of starting a child, the strictest first. */
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
  // Whoever is not root stays the same user; among processes of its own the child cannot name the server.
  return [() => [...asMyself(), 'unshare', '--user', ...OWN_NETWORK, '--pid', '--fork', '--kill-child', '--'], asMyself]
}

/** What says nothing about a way: the machine had nothing left to start a program with. */
const SHORT_OF = ['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']

/** Whether a program started so can be run and can read its own code. Rejects while no program can be started. */
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
    if (SHORT_OF.includes(String((error as NodeJS.ErrnoException).code))) throw error
    return false
  }
}
