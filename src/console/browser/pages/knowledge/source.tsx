import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import {
  BookOpen, Ellipsis, Eye, FileText, FolderInput, Globe, HardDrive, MessageCircleQuestion, RotateCcw, Trash2,
  type LucideIcon
} from 'lucide-preact'
import type { KnowledgeSource, SourceType } from '../../../../../schema/knowledge.ts'
import { failureSaid } from '../../asking/sentences.ts'
import { api } from '../../api.ts'
import { useResource, useResourceOf } from '../../resource.ts'
import { fill, shownAgo, shownBytes, shownNumber, texts, type Texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, Menu, MenuItem } from '../../ui/button.tsx'
import { confirm, Dialog } from '../../ui/dialog.tsx'
import { Badge } from '../../ui/page.tsx'
import { Loaded, sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Choice } from './chosen.tsx'
import { MoveSource, type Place } from './folders.tsx'
import { ReviewBy } from './review.tsx'

const ICONS: Record<SourceType, LucideIcon> = {
  docs: FileText, website: Globe, text: BookOpen, google_drive: HardDrive, faq: MessageCircleQuestion
}

/** How far a source has come, in one word. */
export function stateOf ({
  status, training_status: training, is_selected: isUsed
}: KnowledgeSource): keyof Texts['knowledge']['state'] {
  if (status === 'Failed' || training === 'Failed') return 'Failed'
  if (status !== 'Success') return status
  if (!isUsed) return 'Unused'
  return training === 'Success' ? 'Success' : 'Training'
}

const TONES = { Failed: 'bad', Processing: 'accent', Training: 'accent' } as const

/** What a source in the list is given. `toggle`: what unfolds what is below it. */
export interface SourceProps {
  route: string
  source: KnowledgeSource
  places: Place[]
  mayManage: boolean
  choice: Choice
  toggle?: ComponentChildren
  onChanged: (source: KnowledgeSource) => void
  onMoved: () => void
  onRemoved: () => void
}

/** A source in the list: how far it has come where that is not all the way, and what can be done with it. */
export function Source ({ toggle, ...props }: SourceProps) {
  const { route, source, mayManage, choice, onChanged } = props
  const { knowledge } = texts.value
  const { id, title, type, error, is_selected: isUsed } = source
  const use = useAction(async (wanted: boolean) =>
    onChanged((await api.put<KnowledgeSource>(`${route}/${id}`, { is_selected: wanted })).data)
  )
  const state = stateOf(source)
  const isChosen = choice.sources.has(id)
  const isPartly = !isChosen && [...choice.sources.values()].some(({ parent_knowledge_source: site }) => site === id)
  const Icon = ICONS[type]
  return (
    <li class={isChosen ? 'source chosen-one' : 'source'}>
      {mayManage && (
        <input
          type='checkbox' aria-label={fill(knowledge.bulk.choose, { name: title })} checked={isChosen}
          ref={(box) => { if (box) box.indeterminate = isPartly }} onChange={() => choice.toggle(source)}
        />
      )}
      {toggle}
      <Icon size={16} class='quiet' aria-label={knowledge.kinds[type]} />
      <div class='grow'>
        <strong class={isUsed ? 'cut' : 'cut unused'}>{title}</strong>
        <Facts source={source}>
          {/* What is as it should be is not said, and that it is not used the switch says. */}
          {state !== 'Success' && !(mayManage && state === 'Unused') && (
            <Badge tone={(TONES as Record<string, 'bad' | 'accent'>)[state] ?? 'plain'}>{knowledge.state[state]}</Badge>
          )}
        </Facts>
        {error && <p class='error'>{failureSaid(error)} {error.retryable ? knowledge.tryAgain : knowledge.noRetry}</p>}
        {use.error && <p class='error' role='alert'>{sentenceOf(use.error)}</p>}
      </div>
      {mayManage && (
        <input
          type='checkbox'
          role='switch'
          aria-label={fill(knowledge.use, { name: title })}
          checked={isUsed}
          aria-busy={use.isBusy}
          onChange={(event) => { use.run(event.currentTarget.checked) }}
        />
      )}
      <More {...props} />
    </li>
  )
}

/** What else can be done with a source, and the layers that this opens. */
function More ({ route, source, places, mayManage, onChanged, onMoved, onRemoved }: SourceProps) {
  const { knowledge, folders } = texts.value
  const { id, title, status } = source
  const [layer, setLayer] = useState<'text' | 'move'>()
  const at = `${route}/${id}`
  const train = useAction(async () => {
    onChanged((await api.post<KnowledgeSource>(`${at}/train`)).data)
    toast(fill(knowledge.trainingAgain, { name: title }))
  })
  const remove = useAction(async () => {
    const asked = { title: fill(knowledge.removeTitle, { name: title }), text: knowledge.removeText }
    if (!await confirm({ ...asked, verb: knowledge.removeVerb })) return
    await api.delete(at)
    toast(fill(knowledge.removed, { name: title }))
    onRemoved()
  })
  const failed = train.error ?? remove.error
  const onClose = () => setLayer(undefined)
  if (!mayManage && status !== 'Success') return null
  return (
    <>
      <Menu
        class='button icon' name={fill(knowledge.more, { name: title })} aria-busy={train.isBusy || remove.isBusy}
        shown={<Ellipsis size={16} aria-hidden='true' />}
      >
        {status === 'Success' && <MenuItem icon={Eye} onClick={() => setLayer('text')}>{knowledge.show}</MenuItem>}
        {mayManage && places.length > 1 && (
          <MenuItem icon={FolderInput} onClick={() => setLayer('move')}>{folders.move}</MenuItem>
        )}
        {mayManage && <MenuItem icon={RotateCcw} onClick={() => { train.run() }}>{knowledge.again}</MenuItem>}
        {mayManage && (
          <MenuItem icon={Trash2} class='warn' onClick={() => { remove.run() }}>{knowledge.remove}</MenuItem>
        )}
      </Menu>
      {failed && <p class='error full' role='alert'>{sentenceOf(failed)}</p>}
      {layer === 'move' && <MoveSource {...{ at, source, places, onClose, onMoved }} />}
      {layer === 'text' && <ReadText {...{ at, source, onClose }} onChanged={mayManage ? onChanged : undefined} />}
    </>
  )
}

function Facts ({
  source: { urls, total_training_usage_bytes: bytes, updated_at: updated, metadata }, children
}: {
  source: KnowledgeSource, children: ComponentChildren
}) {
  const { knowledge } = texts.value
  const { no_of_pages: pages, no_of_passages: passages, no_of_hidden_chars: hidden } = metadata
  return (
    <span class='quiet facts'>
      {children}
      {urls[0] && <span class='cut'>{urls[0]}</span>}
      {bytes > 0 && <span>{shownBytes(bytes)}</span>}
      {pages !== null && pages > 0 && <span>{fill(knowledge.pages, { n: shownNumber(pages) })}</span>}
      {Boolean(passages) && <span>{fill(knowledge.passages, { n: shownNumber(passages!) })}</span>}
      {Boolean(hidden) && <span>{fill(knowledge.hiddenChars, { n: shownNumber(hidden!) })}</span>}
      <span>{shownAgo(updated)}</span>
    </span>
  )
}

/** The source that an address names, as another page leads to it: its text, in a layer over the list. */
export function Named ({ route, id, onClose, onChanged }: {
  route: string, id: string, onClose: () => void, onChanged: ((source: KnowledgeSource) => void) | undefined
}) {
  const { knowledge, ui } = texts.value
  const at = `${route}/${id}`
  const found = useResource<KnowledgeSource>(at)
  if (found.data) return <ReadText {...{ at, source: found.data, onClose, onChanged }} />
  if (!found.error) return null
  const isGone = found.error.status === 404 || found.error.status === 400
  return (
    <Dialog title={isGone ? knowledge.goneTitle : knowledge.show} onClose={onClose}>
      <p>{isGone ? knowledge.goneText : sentenceOf(found.error)}</p>
      <footer><Button onClick={onClose}>{ui.close}</Button></footer>
    </Dialog>
  )
}

/** Characters that a person looks through; all of a long text would only make the page slow. */
const SHOWN = 50_000

function ReadText ({
  at, source: { title, file, review_by: day }, onClose, onChanged
}: {
  at: string, source: KnowledgeSource, onClose: () => void, onChanged: ((source: KnowledgeSource) => void) | undefined
}) {
  const { knowledge, ui } = texts.value
  const text = useResourceOf(async () => {
    const answer = await api.open('GET', `${at}/text`, { accept: 'text/plain' })
    return { data: await answer.text(), message: '', etag: undefined, rest: {} }
  }, at)
  return (
    <Dialog wide title={title} onClose={onClose}>
      <Loaded from={text} lines={8}>
        {(read) => (
          <>
            <p class='hint'>{read.length > SHOWN ? knowledge.textLong : knowledge.textTitle}</p>
            <pre tabIndex={0} dir='auto'>{read.slice(0, SHOWN)}</pre>
          </>
        )}
      </Loaded>
      {onChanged && <ReviewBy at={at} day={day} onSaved={(saved) => onChanged(saved as KnowledgeSource)} />}
      <footer>
        {file && <a class='button' href={file} target='_blank' rel='noopener noreferrer'>{knowledge.openSource}</a>}
        <Button onClick={onClose}>{ui.close}</Button>
      </footer>
    </Dialog>
  )
}
