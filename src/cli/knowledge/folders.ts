import { Value } from '@sinclair/typebox/value'
import type { Command } from 'commander'
import type { Id } from '../../../schema/common.ts'
import { FolderRecord } from '../../../schema/knowledge.ts'
import { invalid } from '../../platform/errors.ts'
import type { Stores } from '../../stores.ts'
import { onCommandLine, print, table, withStores, type CliIo } from '../common.ts'
import { agentOf, folderOf, type AgentOptions, type OfAgent } from './common.ts'

/** `knowledge folders`: lists an agent's folders; adds, renames or removes one. */
export function foldersCommand (io: CliIo, ofAgent: OfAgent): Command {
  return ofAgent(
    'folders', "an agent's folders; with an option, adds, renames or removes one", 'knowledge folders --agent 1',
    'knowledge folders --agent 1 --add Manuals', 'knowledge folders --agent 1 --add Old --in Manuals',
    'knowledge folders --agent 1 --rename Old --to Archive', 'knowledge folders --agent 1 --remove Archive'
  )
    .option('--add <name>', 'make a folder')
    .option('--in <folder>', 'where to put it (default: the root folder)')
    .option('--rename <folder>', 'give a folder another name')
    .option('--to <name>', 'the other name')
    .option('--remove <folder>', 'remove a folder; what is in it moves to its parent')
    .action(async (options: AgentOptions & FolderOptions) => {
      const folders = await withStores(io, options, async (stores) => {
        const { owner, agent } = await agentOf(stores, options)
        await onCommandLine(
          stores, owner, 'changeKnowledgeFolders', `agents/${agent}/knowledge_folders`,
          async () => await changeFolders(stores, owner, agent, options)
        )
        return (await stores.knowledge.store.folders(owner, agent))!
      })
      print(io, options, folders, () =>
        table(
          folders.map(({ id, name, parent }) => ({ id, name, in: parent })), ''
        )
      )
    })
}

interface FolderOptions { add?: string, in?: string, rename?: string, to?: string, remove?: string }

async function changeFolders (
  stores: Stores, owner: Id, agent: Id, { add: name, in: parent, rename, to, remove }: FolderOptions
) {
  const { store } = stores.knowledge
  const at = async (folder: string) => await folderOf(stores, owner, agent, folder)
  if ([name, rename, remove].filter((one) => one !== undefined).length > 1) {
    throw invalid({ field: 'add', message: 'Give one of --add, --rename, --remove.' })
  }
  if ((rename === undefined) !== (to === undefined)) {
    throw invalid({ field: 'to', message: '--rename and --to go together.' })
  }
  if (parent !== undefined && name === undefined) throw invalid({ field: 'in', message: '--in goes with --add.' })
  for (const given of [name, to]) {
    if (given !== undefined && !Value.Check(FolderRecord.properties.name, given)) {
      throw invalid({ field: 'name', message: "A folder's name must be 1 to 200 characters." })
    }
  }
  if (name !== undefined) await store.addFolder(owner, agent, name, parent === undefined ? undefined : await at(parent))
  if (rename !== undefined && to !== undefined) await store.updateFolder(owner, agent, await at(rename), { name: to })
  if (remove !== undefined) await store.removeFolder(owner, agent, await at(remove))
}
