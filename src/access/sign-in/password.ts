import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { invalid, Refusal } from '../../platform/errors.ts'
import { isTriedFirst } from '../guessable.ts'

/** What OWASP asks of argon2id at least: 19 MiB, two passes. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_LENGTH = 32
const SALT_LENGTH = 16
/** Concurrent hashes: each takes 19 MiB and a thread for a tenth of a second. */
const HASHES_AT_ONCE = 2
/** Waiting at most; more would wait too long. */
const MOST_WAITING = 50
/** A hash of an unknown password, for names that do not exist. */
const NOBODYS = '$argon2id$v=19$m=19456,t=2,p=1$c2FsdCBvZiBub2JvZHkuLg$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

const argon2id = promisify(argon2)

/** How a password is hashed; tests pass their own. */
type Derive = (algorithm: 'argon2id', parameters: Parameters<typeof argon2>[1]) => Promise<unknown>

/** Hashes and compares passwords, at most two at once, since each is meant to be expensive. */
export interface Passwords {
  /** The PHC string to store. Refuses with `unavailable` when too many wait. */
  hash (password: string): Promise<string>
  /**
   * Whether this is the password. Without a stored hash it takes the same time and returns false, so that nobody learns
   * which names exist. Refuses with `unavailable` when too many wait.
   */
  matches (password: string, kept: string | undefined): Promise<boolean>
}

/** The passwords of one process. */
export function openPasswords (derive: Derive = argon2id): Passwords {
  const waiting: Array<() => void> = []
  let running = 0

  async function inTurn<T> (work: () => Promise<T>): Promise<T> {
    if (running >= HASHES_AT_ONCE) {
      if (waiting.length >= MOST_WAITING) {
        throw new Refusal('unavailable', 'Too many people are signing in at once. Try again in a moment.', {
          headers: { 'retry-after': '5' }
        })
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      // The next in line takes over the slot.
      if (next) next()
      else running--
    }
  }

  return {
    hash: async (password) => await inTurn(async () => {
      const nonce = randomBytes(SALT_LENGTH)
      const tag = (await derive('argon2id', {
        message: normal(password), nonce, tagLength: TAG_LENGTH, ...COST
      })) as Buffer
      const { memory, passes, parallelism } = COST
      return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${bare(nonce)}$${bare(tag)}`
    }),
    matches: async (password, kept = NOBODYS) => await inTurn(async () => {
      const { nonce, tag, ...cost } = partsOf(kept)
      const given = (await derive('argon2id', {
        message: normal(password), nonce, tagLength: tag.length, ...cost
      })) as Buffer
      return timingSafeEqual(given, tag) && kept !== NOBODYS
    })
  }
}

function partsOf (phc: string) {
  const [, , , cost = '', nonce = '', tag = ''] = phc.split('$')
  const [memory = 0, passes = 0, parallelism = 0] = cost.split(',').map((one) => Number(one.slice(2)))
  return { memory, passes, parallelism, nonce: Buffer.from(nonce, 'base64'), tag: Buffer.from(tag, 'base64') }
}

/** Base64 without padding, as PHC strings have it. */
function bare (bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}

/** Normalized, so that a password is the same from any keyboard. */
function normal (password: string): string {
  return password.normalize('NFKC')
}

/**
 * Refuses with VALIDATION_ERROR easily guessed passwords: few different characters, the user's own name or address, or
 * what is tried first.
 */
export function demandStrong (password: string, { name, email }: { name: string, email: string | null }) {
  const lower = normal(password).toLowerCase()
  const known = [name, email, email?.split('@')[0]]
    .filter((one) => one && one.length >= 3)
    .map((one) => one!.toLowerCase())
  const rest = known.reduce((left, one) => left.replaceAll(one, ''), lower)
  if (new Set(lower).size < 5) {
    throw weak('must have more different characters')
  }
  if (rest.length < 6) {
    throw weak('must not be your name or e-mail address')
  }
  if (isTriedFirst(lower, known)) throw weak('must not be easy to guess, such as password1234')
}

function weak (why: string) {
  return invalid({
    field: 'password',
    code: 'weak_password',
    message: `password ${why}: a few words that do not usually go together are easy to remember.`
  })
}
