import { api } from '../../api.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction, type Action } from '../../ui/action.ts'
import { confirm } from '../../ui/dialog.tsx'

/**
 * Removes an item of a route's list after a confirmation that names what is lost; `removed` shows the list without it.
 */
export function useRemoval (
  route: string, loss: string, removed: () => Promise<void>
): Action<[{ id: number, name: string }]> {
  return useAction(async ({ id, name }) => {
    const { removeTitle, remove } = texts.value.business
    if (!await confirm({ title: fill(removeTitle, { name }), text: loss, verb: remove })) return
    await api.delete(`${route}/${id}`)
    await removed()
  })
}
