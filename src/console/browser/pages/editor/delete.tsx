import type { Agent } from '../../../../../schema/agents.ts'
import { api } from '../../api.ts'
import { go } from '../../router.ts'
import { fill, shownNumber, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/dialog.tsx'
import { Card } from '../../ui/page.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'

/** Deletes an agent after warning what is lost. */
export function DeleteAgent ({
  agent: { id, name, knowledge_sources_total: sources, conversations }
}: {
  agent: Agent
}) {
  const { editor } = texts.value
  const remove = useAction(async () => {
    const loss = fill(editor.deleteText, { sources: shownNumber(sources), conversations: shownNumber(conversations) })
    if (
      !(await confirm({
        title: fill(editor.deleteTitle, { name }), text: loss, verb: fill(editor.deleteVerb, { name })
      }))
    ) { return }
    await api.delete(`/agents/${id}`)
    toast(fill(editor.deleted, { name }))
    go('/agents')
  })
  return (
    <Card
      title={editor.danger}
      actions={
        <Button busy={remove.isBusy} onClick={() => { remove.run() }}>{editor.delete}</Button>
      }
    >
      <p class='quiet'>{editor.dangerText}</p>
      {remove.error && <p class='error' role='alert'>{sentenceOf(remove.error)}</p>}
    </Card>
  )
}
