import { ExtractError } from '../reading/error.ts'
import { KINDS } from './catalogue.ts'
import type { Plan } from './contract.ts'
import { filesOf } from './files.ts'
import { Ledger } from './ledger.ts'

const UNKNOWN = 'It is no part of such an export. Add it to the agent by itself if it should know it.'

/**
 * What files of an export become, and the report. `from`: the kind they are said to be of. Throws ExtractError where
 * they are no export that is known. Only ever called in the sandbox.
 */
export function planOf (given: Array<[name: string, bytes: Buffer]>, from?: string): Plan {
  const ledger = new Ledger()
  try {
    const files = filesOf(given, ledger)
    const kind = KINDS.find((one) => (from === undefined || one.name === from) && one.detect(files))
    if (!kind) {
      const known = KINDS.map(({ title }) => title).join(', ')
      throw new ExtractError('unsupported_format', `This is no export that is known here. There are: ${known}.`)
    }
    const agents = kind.read(files, ledger)
    for (const { name, value } of files) {
      if (value !== undefined) ledger.finish(name, value)
      else if (!ledger.isSettled(name)) ledger.note({ at: name, outcome: 'not_carried', why: UNKNOWN })
    }
    return { kind: kind.name, agents, report: ledger.items }
  } catch (error) {
    throw error instanceof ExtractError ? error : new ExtractError('damaged', undefined, { cause: error })
  }
}
