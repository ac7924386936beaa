import type { Id } from '../../schema/common.ts'
import type { FolderPatch, FolderRecord } from '../../schema/knowledge.ts'
import { Refusal, invalid, shortened } from '../platform/errors.ts'

/** The fields of a folder, besides its id, its agent and its times. */
type FolderPlace = Pick<FolderRecord, 'name' | 'parent' | 'review_by'>

/** The requested folder, or the root folder. Throws VALIDATION_ERROR when the agent has no such folder. */
export function folderOf (folders: FolderRecord[], wanted: Id | undefined, field: string): Id {
  const found = folders.find(({ id, parent }) => wanted === undefined ? parent === null : id === wanted)
  if (!found) {
    throw invalid({ field, message: `${field} is not a folder of this agent; knowledge_folders/ lists them.` })
  }
  return found.id
}

/**
 * Where a new folder goes. Refuses an unknown parent with VALIDATION_ERROR, with `taken` a name that its parent
 * has.
 */
export function newFolder (folders: FolderRecord[], name: string, parent: Id | undefined): FolderPlace {
  const place = { name, parent: folderOf(folders, parent, 'parent'), review_by: null }
  checkName(folders, place)
  return place
}

/**
 * Name and parent of a folder after a change. Refuses with `root_folder` to move that one, with `folder_cycle` a folder
 * into itself, with `taken` a name in use; with VALIDATION_ERROR a missing folder.
 */
export function changedFolder (
  folders: FolderRecord[],
  folder: FolderRecord,
  { name = folder.name, parent, review_by: reviewBy = folder.review_by }: FolderPatch
): FolderPlace {
  if (parent === null && folder.parent !== null) {
    throw invalid({ field: 'parent', message: `parent must be a folder; the root folder is ${folderOf(folders, undefined, 'parent')}.` })
  }
  const place = { name, parent: parent ?? folder.parent, review_by: dayOf(reviewBy) }
  if (place.parent !== folder.parent) {
    if (folder.parent === null) throw new Refusal('root_folder', 'The root folder cannot be moved.')
    folderOf(folders, place.parent!, 'parent')
    if (above(folders, place.parent).includes(folder.id)) {
      throw new Refusal('folder_cycle', 'A folder cannot be moved into itself.')
    }
  }
  checkName(folders, place, folder.id)
  return place
}

/**
 * The folder that the contents of a removed folder move to. Refuses with `root_folder` that one, with `taken` one with
 * a folder whose name is in use there.
 */
export function emptiedInto (folders: FolderRecord[], folder: FolderRecord): Id {
  if (folder.parent === null) throw new Refusal('root_folder', 'The root folder cannot be removed.')
  for (const inside of folders) {
    if (inside.parent === folder.id) checkName(folders, { ...inside, parent: folder.parent }, folder.id)
  }
  return folder.parent
}

/** A folder and its ancestors, itself first. */
function above (folders: FolderRecord[], id: Id | null): Id[] {
  const line: Id[] = []
  for (let at = id; at !== null; at = folders.find((one) => one.id === at)?.parent ?? null) line.push(at)
  return line
}

/** Two folders of one name in one place could not be told apart. `self` may have the name already. */
function checkName (folders: FolderRecord[], { name, parent }: FolderPlace, self?: Id) {
  const same = (other: string) => other.normalize().trim() === name.normalize().trim()
  const taken = folders.find((one) => one.id !== self && one.parent === parent && same(one.name))
  if (taken) {
    throw new Refusal(
      'taken',
      `There is a folder named ${JSON.stringify(shortened(taken.name))} here already. Choose another name.`
    )
  }
}

/** A calendar date. Throws VALIDATION_ERROR if it does not exist. */
export function dayOf (day: string | null): string | null {
  const time = Date.parse(`${day}T00:00:00Z`)
  if (day === null || (!Number.isNaN(time) && new Date(time).toISOString().startsWith(day))) return day
  throw invalid({ field: 'review_by', message: 'review_by is not a valid date; write it as 2027-05-03.' })
}
