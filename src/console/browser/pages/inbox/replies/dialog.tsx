import { useState } from 'preact/hooks'
import { Pencil, Plus, Trash2 } from 'lucide-preact'
import type { SavedReply } from '../../../../../../schema/replies.ts'
import { api } from '../../../api.ts'
import { useResource } from '../../../resource.ts'
import { fill, labelled, language, LANGUAGES, texts } from '../../../texts/index.ts'
import { useAction } from '../../../ui/action.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Dialog, FormDialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Badge } from '../../../ui/page.tsx'
import { Empty, Failure, Loaded } from '../../../ui/states.tsx'

const LONGEST_KEY = 40
const LONGEST_TEXT = 4000

/** The saved replies, to be viewed, edited and deleted. */
export function RepliesDialog ({ onClose }: { onClose: () => void }) {
  const { replies: words } = texts.value
  const replies = useResource<SavedReply[]>('/saved_replies')
  const [edited, setEdited] = useState<SavedReply | 'new'>()
  if (edited) {
    return <Editor reply={edited === 'new' ? undefined : edited} onClose={() => { replies.reload(); setEdited(undefined) }} />
  }
  return (
    <Dialog title={words.title} onClose={onClose} wide>
      <p class='hint'>{words.hint}</p>
      <Loaded from={replies}>
        {(all) => all.length === 0
          ? <Empty title={words.none} text={words.noneText} />
          : (
            <ul class='list replies-all'>
              {all.map((reply) => (
                <li key={reply.id}>
                  <Line reply={reply} onEdit={() => setEdited(reply)} onRemoved={() => { replies.reload() }} />
                </li>
              ))}
            </ul>
            )}
      </Loaded>
      <footer class='actions'>
        <Button kind='main' icon={Plus} onClick={() => setEdited('new')}>{words.add}</Button>
      </footer>
    </Dialog>
  )
}

function Line ({ reply, onEdit, onRemoved }: { reply: SavedReply, onEdit: () => void, onRemoved: () => void }) {
  const { replies: words, ui } = texts.value
  const remove = useAction(async () => {
    await api.delete(`/saved_replies/${reply.id}`)
    onRemoved()
  })
  return (
    <>
      <div class='row'>
        <strong dir='auto'>/{reply.key}</strong>
        <span class='quiet grow cut' dir='auto'>{Object.values(reply.texts)[0]}</span>
        {reply.scope === 'mine' && <Badge>{words.scopes.mine}</Badge>}
        <IconButton label={labelled(ui.edit, reply.key)} icon={Pencil} onClick={onEdit} />
        <IconButton
          label={labelled(ui.delete, reply.key)} icon={Trash2} aria-busy={remove.isBusy}
          onClick={() => { remove.run() }}
        />
      </div>
      {remove.error && <Failure error={remove.error} />}
    </>
  )
}

function Editor ({ reply, onClose }: { reply: SavedReply | undefined, onClose: () => void }) {
  const { replies: words } = texts.value
  const [key, setKey] = useState(reply?.key ?? '')
  const [said, setSaid] = useState<Record<string, string>>(reply?.texts ?? {})
  const [spoken, setSpoken] = useState(reply ? Object.keys(reply.texts)[0]! : language.value)
  const [scope, setScope] = useState<SavedReply['scope']>(reply?.scope ?? 'team')
  const save = useAction(async () => {
    const kept = Object.fromEntries(Object.entries(said).filter(([, text]) => text.trim() !== ''))
    const gone = Object.keys(reply?.texts ?? {}).filter((code) => !(code in kept)).map((code) => [code, null])
    if (reply) await api.patch(`/saved_replies/${reply.id}`, { key, texts: { ...kept, ...Object.fromEntries(gone) } })
    else await api.post('/saved_replies', { key, texts: kept, scope })
    onClose()
  })
  return (
    <FormDialog title={reply ? `/${reply.key}` : words.add} action={save} wide onClose={onClose}>
      <Field label={words.key} hint={words.keyHint} error={save.errorAt('key')}>
        <input
          required maxLength={LONGEST_KEY} value={key} onInput={(event) => setKey(event.currentTarget.value)}
        />
      </Field>
      <Field label={words.language}>
        <select value={spoken} onChange={(event) => setSpoken(event.currentTarget.value)}>
          {[...new Set([...Object.keys(LANGUAGES), ...Object.keys(said)])].map((code) => (
            <option key={code} value={code}>{LANGUAGES[code] ?? code}{said[code]?.trim() ? ' ✓' : ''}</option>
          ))}
        </select>
      </Field>
      <Field
        label={fill(words.text, { language: LANGUAGES[spoken] ?? spoken })}
        hint={words.textHint}
        error={save.errorAt(`texts.${spoken}`) ?? save.errorAt('texts')}
      >
        <textarea
          required={Object.values(said).every((text) => text.trim() === '')}
          maxLength={LONGEST_TEXT} rows={5} dir='auto' value={said[spoken] ?? ''}
          onInput={(event) => setSaid({ ...said, [spoken]: event.currentTarget.value })}
        />
      </Field>
      {!reply && (
        <Field label={words.scope}>
          <select value={scope} onChange={(event) => setScope(event.currentTarget.value as SavedReply['scope'])}>
            <option value='team'>{words.scopes.team}</option>
            <option value='mine'>{words.scopes.mine}</option>
          </select>
        </Field>
      )}
    </FormDialog>
  )
}
