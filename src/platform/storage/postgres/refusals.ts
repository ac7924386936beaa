import { errorCode, errorMessage, Refusal } from '../../errors.ts'
import { storageFull } from '../sqlite/disk/space.ts'

/** A caller has waited too long. */
export const tookTooLong = () => unavailable('The database does not answer')

/** The database cannot do it now, but may in a few seconds. */
export function unavailable (message: string, cause?: unknown) {
  return new Refusal('unavailable', `${message}; try again in a few seconds.`, {
    headers: { 'retry-after': '5' }, cause
  })
}

/** Error codes for a server that is away, starting, stopping, out of connections, or blocked by others for too long. */
const AWAY = /^(?:08(?!P01)|57P|57014|25P03|53300|40P01|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|ENOENT|EHOSTUNREACH)/
const AWAY_IN_WORDS = /Connection terminated|connection error and is not queryable|Query read timeout|timeout exceeded when trying to connect/i

/** Whether an error says that the database cannot be reached, or not now. */
export function isAway (error: unknown): boolean {
  return AWAY.test(errorCode(error)) || AWAY_IN_WORDS.test(errorMessage(error))
}

/** PgBouncer passes on only what it is configured to. */
const POOLER =
  'A pooler in front of the database accepts no time-outs. If it is PgBouncer, give it pool_mode = session and ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout, and set both for the user of the database instead; or name the database itself in AGENTHALL_DATABASE.'

/** Error codes for denied access, or a database that does not exist. */
const CLOSED = /^(?:28|3D000|3F000|42501)/

/** Why a database cannot be opened, as a Refusal if the operator can act on it. */
export function openingRefusal (error: unknown): unknown {
  const [code, message] = [errorCode(error), errorMessage(error)]
  if (code === '08P01' && message.includes('startup parameter')) return new Refusal('conflict', POOLER, { cause: error })
  if (!CLOSED.test(code)) return refusalOf(error)
  return new Refusal('conflict', `The database cannot be opened: ${message}. Check AGENTHALL_DATABASE.`, { cause: error })
}

/** An error of the database, as a Refusal if the caller can act on it; anything else unchanged. */
export function refusalOf (error: unknown): unknown {
  if (error instanceof Refusal) return error
  if (errorCode(error) === '53100') return storageFull(error)
  return isAway(error) ? unavailable('The database does not answer', error) : error
}
