import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import {
  BookOpen, Ellipsis, Eye, FileText, FolderInput, Globe, HardDrive, ListChecks, MessageCircleQuestion,
  Pencil, RotateCcw, Trash2,
  type LucideIcon
} from 'lucide-preact'
import type { KnowledgeSource, SourceType } from '../../../../../schema/knowledge.ts'
import { failureSaid } from '../../asking/sentences.ts'
import { api } from '../../api.ts'
import { useResource, useResourceOf } from '../../resource.ts'
import { fill, shownAgo, shownBytes, shownNumber, texts, type Texts } from '../../texts/index.ts'
import { siteTexts } from '../../texts/sites/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, Menu, MenuItem } from '../../ui/button.tsx'
import { confirm, Dialog } from '../../ui/dialog.tsx'
import { Badge } from '../../ui/page.tsx'
import { Loaded, sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import type { Choice } from './chosen.tsx'
import { MoveSource, type Place } from './folders.tsx'
import { ChangePairs } from './pairs.tsx'
import { pathOf } from './patterns.ts'
import { ReviewBy } from './review.tsx'
import { SiteForm } from './site.tsx'

const ICONS: Record<SourceType, LucideIcon> = {
  docs: FileText, website: Globe, text: BookOpen, google_drive: HardDrive, faq: MessageCircleQuestion
}

/** The state of a source, in one word. */
export function stateOf ({
  status, training_status: training, is_selected: isUsed
}: KnowledgeSource): keyof Texts['knowledge']['state'] {
  if (status === 'Failed' || training === 'Failed') return 'Failed'
  if (status !== 'Success') return status
  if (!isUsed) return 'Unused'
  return training === 'Success' ? 'Success' : 'Training'
}

const TONES = { Failed: 'bad', Processing: 'accent', Training: 'accent' } as const

/** Props of a source in the list. `toggle`: the button that unfolds its children. */
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

/** A source in the list: its state unless it is ready, and its actions. */
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
      {/* The toggle takes the place of the kind icon, so that titles are aligned. */}
      {toggle ?? <Icon size={16} class='quiet' aria-label={knowledge.kinds[type]} />}
      <div class='grow'>
        <strong class={isUsed ? 'cut' : 'cut unused'} title={title}>{title}</strong>
        <Facts source={source}>
          {/* The normal state is not shown, and the switch shows whether it is used. */}
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

/** Further actions on a source, and their dialogs. */
function More ({ route, source, places, mayManage, onChanged, onMoved, onRemoved }: SourceProps) {
  const { knowledge, folders, ui } = texts.value
  const { id, title, status, type, file } = source
  const [layer, setLayer] = useState<'text' | 'move' | 'pairs' | 'site'>()
  // What was written here is edited here; uploaded files are edited at their origin.
  const hasPairs = mayManage && type === 'faq' && !file && source.feed === null
  const isSite = mayManage && type === 'website' && source.parent_knowledge_source === null && source.feed === null
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
        {hasPairs && <MenuItem icon={Pencil} onClick={() => setLayer('pairs')}>{ui.edit}</MenuItem>}
        {isSite && <MenuItem icon={ListChecks} onClick={() => setLayer('site')}>{siteTexts().change}</MenuItem>}
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
      {layer === 'pairs' && <ChangePairs {...{ at, source, onClose, onChanged }} />}
      {layer === 'site' && (
        <SiteForm {...{ route, source, onClose }} onSaved={(saved) => { if (saved) onChanged(saved) }} />
      )}
      {layer === 'text' && <ReadText {...{ at, source, onClose }} onChanged={mayManage ? onChanged : undefined} />}
    </>
  )
}

function Facts ({
  source: {
    urls, total_training_usage_bytes: bytes, updated_at: updated, metadata, parent_knowledge_source: site
  },
  children
}: {
  source: KnowledgeSource, children: ComponentChildren
}) {
  const { knowledge } = texts.value
  const { no_of_pages: pages, no_of_passages: passages, no_of_hidden_chars: hidden } = metadata
  const facts = [
    pages !== null && pages > 0 && fill(knowledge.pages, { n: shownNumber(pages) }),
    passages && fill(knowledge.passages, { n: shownNumber(passages) }),
    bytes > 0 && shownBytes(bytes),
    hidden && fill(knowledge.hiddenChars, { n: shownNumber(hidden) }),
    shownAgo(updated),
    urls[0] && (site === null ? urls[0] : pathOf(urls[0]))
  ]
  // One line: on a phone, overflowing text is cut at the end.
  return <span class='quiet cut'>{children} {facts.filter(Boolean).join(' · ')}</span>
}

/** The source named in the address, as linked from other pages: its text, in a dialog over the list. */
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

/** Maximum characters shown; all of a long text would only make the page slow. */
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
