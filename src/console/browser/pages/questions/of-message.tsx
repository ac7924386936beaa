import { ListChecks } from 'lucide-preact'
import type { Question } from '../../../../../schema/checks.ts'
import type { Message } from '../../../../../schema/conversations.ts'
import { api } from '../../api.ts'
import { linkTo } from '../../router.ts'
import { may } from '../../session.ts'
import { texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { useState } from 'preact/hooks'

/** Turns an answer into a test question with one click. */
export function AsQuestion ({ message: { id, conversation, role, status } }: {
  message: Pick<Message, 'id' | 'conversation' | 'role' | 'status'>
}) {
  const { checks } = texts.value
  const [made, setMade] = useState<Question>()
  const make = useAction(async () => {
    setMade((await api.post<Question>(`/conversations/${conversation}/messages/${id}/question`)).data)
  })
  if (role !== 'agent' || status !== 'complete' || !may('MANAGE_AGENTS')) return null
  if (made) {
    return <p class='quiet' role='status'>{checks.made} <a href={linkTo(`/agents/${made.agent}/questions`)}>{checks.see}</a></p>
  }
  return (
    <>
      <Button kind='quiet' icon={ListChecks} busy={make.isBusy} onClick={() => { make.run() }}>{checks.make}</Button>
      {make.error && <p class='error' role='alert'>{sentenceOf(make.error)}</p>}
    </>
  )
}
