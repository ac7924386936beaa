import { ExtractError } from '../reading/error.ts'
import { KINDS } from './catalogue.ts'
import type { Plan } from './contract.ts'
import { filesOf } from './files.ts'
import { Ledger } from './ledger.ts'

const UNKNOWN = 'It is not part of such an export. Add it to the agent separately if it should know it.'

/**
 * Plans an import from files of an export, with its report. `from`: their stated kind. Throws ExtractError for unknown
 * exports. Only ever called in the sandbox.
 */
export function planOf (given: Array<[name: string, bytes: Buffer]>, from?: string): Plan {
  const ledger = new Ledger()
  try {
    const files = filesOf(given, ledger)
    const kind = KINDS.find((one) => (from === undefined || one.name === from) && one.detect(files))
    if (!kind) {
      const known = KINDS.map(({ title }) => title).join(', ')
      throw new ExtractError('unsupported_format', `This is not a known export. Known kinds: ${known}.`)
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
