import { useState } from 'preact/hooks'
import type { Conversation, Message } from '../../../../../../schema/conversations.ts'
import { useKey } from '../../../keys.ts'
import { texts } from '../../../texts/index.ts'
import { focusReply } from '../desk/moving.ts'
import type { Values } from '../replies/words.ts'
import { Note } from './note.tsx'
import { Reply } from './reply.tsx'

/** The composer for replies and for notes to the team: one box, with a tab for each. */
export function Composer (props: {
  conversation: Conversation, values: Values, onSent: (message: Message) => void
}) {
  const { desk, inbox } = texts.value
  const [kind, setKind] = useState<'reply' | 'note'>('reply')
  const turn = (to: typeof kind) => {
    setKind(to)
    focusReply()
  }
  useKey('r', desk.does.reply, () => turn('reply'))
  useKey('n', desk.does.note, () => turn('note'))
  const tabs = (
    <div class='composer-tabs' role='group' aria-label={inbox.write}>
      {(['reply', 'note'] as const).map((one) => (
        <button key={one} type='button' aria-pressed={one === kind} onClick={() => turn(one)}>{inbox.writes[one]}</button>
      ))}
    </div>
  )
  return kind === 'reply'
    ? <Reply {...props} tabs={tabs} />
    : <Note id={props.conversation.id} tabs={tabs} />
}
