import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Refusal } from '../../errors.ts'
import { giveToOwnerOf } from '../../paths.ts'

/** Marks that a data file was moved elsewhere, and where to. */
const markOf = (file: string) => path.join(path.dirname(file), 'agenthall.moved')

/** Marks a data file as moved: nobody serves it from now on. */
export function markMoved (file: string, to: string) {
  writeFileSync(markOf(file), `${to}\n`, { mode: 0o600 })
  giveToOwnerOf(path.dirname(file), markOf(file))
}

/** Removes the mark. */
export function unmarkMoved (file: string) {
  rmSync(markOf(file), { force: true })
}

/** Refuses a data file that was moved, with `conflict`. */
export function refuseMoved (file: string) {
  const mark = markOf(file)
  if (!existsSync(mark)) return
  throw new Refusal(
    'conflict',
    `This data was moved to ${readFileSync(mark, 'utf8').trim()}. Serve it from there with AGENTHALL_DATABASE. To serve the file as it was before, remove ${mark}.`
  )
}
