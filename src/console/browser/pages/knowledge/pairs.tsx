import { useState } from 'preact/hooks'
import { Plus, X } from 'lucide-preact'
import type { KnowledgeSource } from '../../../../../schema/knowledge.ts'
import { api } from '../../api.ts'
import { useResourceOf } from '../../resource.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction, type Action } from '../../ui/action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog, FormDialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Loaded } from '../../ui/states.tsx'
import type { Place } from './folders.tsx'

interface Pair { question: string, answer: string }

const NEW: Pair = { question: '', answer: '' }
/** Pairs rendered at once: thousands of fields would make the page slow. */
const PAIRS_AT_ONCE = 50

/** Pairs as a source's text has them: a line with the question, the lines of its answer, an empty line. */
function pairsIn (text: string): Pair[] {
  return text.split('\n\n').map((one) => {
    const [question = '', ...answer] = one.split('\n')
    return { question, answer: answer.join('\n') }
  })
}

/** Adds questions and answers as a source. */
export function AddPairs ({ route, folder, onAdded, onClose }: {
  route: string, folder: Place | undefined, onAdded: () => void, onClose: () => void
}) {
  const { knowledge } = texts.value
  const [title, setTitle] = useState('')
  const [pairs, setPairs] = useState([NEW])
  const add = useAction(async () => {
    const more = { ...(title.trim() !== '' && { title }), ...(folder && { agent_knowledge_folder: folder.id }) }
    await api.post(route, { faq: pairs, ...more })
    onAdded()
    onClose()
  })
  return (
    <FormDialog wide title={knowledge.kinds.faq} action={add} verb={knowledge.addVerb} onClose={onClose}>
      <Field label={knowledge.title} error={add.errorAt('title')}>
        <input maxLength={500} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
      </Field>
      <Pairs pairs={pairs} errorAt={add.errorAt} onChange={setPairs} />
    </FormDialog>
  )
}

interface Changed {
  at: string
  source: KnowledgeSource
  onClose: () => void
  onChanged: (source: KnowledgeSource) => void
}

/** Changes the questions and answers of a source. */
export function ChangePairs (props: Changed) {
  const { at, source: { title }, onClose } = props
  const text = useResourceOf(async () => {
    const answer = await api.open('GET', `${at}/text`, { accept: 'text/plain' })
    return { data: pairsIn(await answer.text()), message: '', etag: undefined, rest: {} }
  }, at)
  return text.data
    ? <Change {...props} there={text.data} />
    : <Dialog wide title={title} onClose={onClose}><Loaded from={text} lines={8}>{() => null}</Loaded></Dialog>
}

function Change ({ at, source: { title }, there, onClose, onChanged }: Changed & { there: Pair[] }) {
  const [pairs, setPairs] = useState(there)
  const save = useAction(async () => {
    onChanged((await api.put<KnowledgeSource>(at, { faq: pairs })).data)
    onClose()
  })
  return (
    <FormDialog wide title={title} action={save} disabled={pairs.length === 0} onClose={onClose}>
      <Pairs pairs={pairs} errorAt={save.errorAt} onChange={setPairs} />
    </FormDialog>
  )
}

/** The fields, a question and its answer one below the other; the newest is at the end. */
function Pairs ({ pairs, errorAt, onChange }: {
  pairs: Pair[], errorAt: Action<[]>['errorAt'], onChange: (pairs: Pair[]) => void
}) {
  const { suggestions, business, checks, ui } = texts.value
  const [shown, setShown] = useState(PAIRS_AT_ONCE)
  const change = (at: number, part: Partial<Pair>) => onChange(pairs.with(at, { ...pairs[at]!, ...part }))
  return (
    <>
      {pairs.slice(0, shown).map(({ question, answer }, at) => (
        <fieldset key={at} class='lines'>
          <div class='row nowrap'>
            <div class='grow'>
              <Field label={suggestions.question} error={errorAt(`faq[${at}].question`)}>
                <input
                  required maxLength={2000} dir='auto' value={question}
                  onInput={(event) => change(at, { question: event.currentTarget.value })}
                />
              </Field>
            </div>
            {pairs.length > 1 && (
              <IconButton
                icon={X} label={fill(business.removeOf, { name: question || suggestions.question })}
                onClick={() => onChange(pairs.toSpliced(at, 1))}
              />
            )}
          </div>
          <Field label={suggestions.answer} error={errorAt(`faq[${at}].answer`)}>
            <textarea
              required rows={3} maxLength={20_000} dir='auto' value={answer}
              onInput={(event) => change(at, { answer: event.currentTarget.value })}
            />
          </Field>
        </fieldset>
      ))}
      {pairs.length > shown
        ? <Button onClick={() => setShown(shown + PAIRS_AT_ONCE)}>{ui.more}</Button>
        : (
          <Button
            icon={Plus}
            onClick={() => {
              setShown(Math.max(shown, pairs.length + 1))
              onChange([...pairs, NEW])
            }}
          >
            {checks.add}
          </Button>
          )}
    </>
  )
}
