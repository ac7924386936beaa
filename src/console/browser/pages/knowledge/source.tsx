import { useState } from 'preact/hooks'
import {
  BookOpen, Eye, FileText, FolderInput, Globe, HardDrive, MessageCircleQuestion, RotateCcw, Trash2, type LucideIcon
} from 'lucide-preact'
import type { KnowledgeSource, SourceType } from '../../../../../schema/knowledge.ts'
import { api } from '../../api.ts'
import { useResourceOf } from '../../resource.ts'
import { fill, shownAgo, shownBytes, shownNumber, texts, type Texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { confirm, Dialog } from '../../ui/dialog.tsx'
import { Badge } from '../../ui/page.tsx'
import { Loaded, sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { MoveSource, type Place } from './folders.tsx'

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

const TONES = { Success: 'good', Failed: 'bad', Processing: 'accent', Training: 'accent' } as const

/** A source in the list: how far it has come, what failed and what to do, and what can be done with it. */
export function Source ({
  route, source, places, mayManage, onChanged, onMoved, onRemoved
}: {
  route: string
  source: KnowledgeSource
  places: Place[]
  mayManage: boolean
  onChanged: (source: KnowledgeSource) => void
  onMoved: () => void
  onRemoved: () => void
}) {
  const { knowledge } = texts.value
  const { id, title, type, error, is_selected: isUsed, status } = source
  const [isShown, setShown] = useState(false)
  const [isMoving, setMoving] = useState(false)
  const at = `${route}/${id}`
  const use = useAction(async (wanted: boolean) =>
    onChanged((await api.put<KnowledgeSource>(at, { is_selected: wanted })).data)
  )
  const train = useAction(async () => {
    onChanged((await api.post<KnowledgeSource>(`${at}/train`)).data)
    toast(fill(knowledge.trainingAgain, { name: title }))
  })
  const remove = useAction(async () => {
    if (
      !(await confirm({
        title: fill(knowledge.removeTitle, { name: title }), text: knowledge.removeText, verb: knowledge.removeVerb
      }))
    ) { return }
    await api.delete(at)
    toast(fill(knowledge.removed, { name: title }))
    onRemoved()
  })
  const state = stateOf(source)
  const failed = use.error ?? train.error ?? remove.error
  const Icon = ICONS[type]
  return (
    <li class='source'>
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
      <Icon size={16} class='quiet' aria-label={knowledge.kinds[type]} />
      <div class='grow'>
        <strong class='cut'>{title}</strong>
        <Facts source={source} />
        {error && <p class='error'>{error.message} {error.retryable ? knowledge.tryAgain : knowledge.noRetry}</p>}
        {failed && <p class='error' role='alert'>{sentenceOf(failed)}</p>}
      </div>
      <Badge tone={(TONES as Record<string, 'good' | 'bad' | 'accent'>)[state] ?? 'plain'}>
        {knowledge.state[state]}
      </Badge>
      <div class='actions tight'>
        {status === 'Success' && (
          <IconButton icon={Eye} label={`${knowledge.show}: ${title}`} onClick={() => setShown(true)} />
        )}
        {mayManage && places.length > 1 && (
          <IconButton
            icon={FolderInput}
            label={fill(texts.value.folders.moveTitle, { name: title })}
            onClick={() => setMoving(true)}
          />
        )}
        {mayManage && (
          <IconButton
            icon={RotateCcw}
            label={`${knowledge.again}: ${title}`}
            aria-busy={train.isBusy}
            onClick={() => { train.run() }}
          />
        )}
        {mayManage && (
          <IconButton
            icon={Trash2}
            label={`${knowledge.remove}: ${title}`}
            aria-busy={remove.isBusy}
            onClick={() => { remove.run() }}
          />
        )}
      </div>
      {isMoving && (
        <MoveSource at={at} source={source} places={places} onClose={() => setMoving(false)} onMoved={onMoved} />
      )}
      {isShown && <ReadText at={at} source={source} onClose={() => setShown(false)} />}
    </li>
  )
}

function Facts ({
  source: { urls, total_training_usage_bytes: bytes, updated_at: updated, metadata }
}: {
  source: KnowledgeSource
}) {
  const { knowledge } = texts.value
  const { no_of_pages: pages, no_of_hidden_chars: hidden } = metadata
  return (
    <span class='quiet facts'>
      {urls[0] && <span class='cut'>{urls[0]}</span>}
      {bytes > 0 && <span>{shownBytes(bytes)}</span>}
      {pages !== null && pages > 0 && <span>{fill(knowledge.pages, { n: shownNumber(pages) })}</span>}
      {Boolean(hidden) && <span>{fill(knowledge.hiddenChars, { n: shownNumber(hidden!) })}</span>}
      <span>{shownAgo(updated)}</span>
    </span>
  )
}

/** Characters that a person looks through; all of a long text would only make the page slow. */
const SHOWN = 50_000

function ReadText ({
  at, source: { title, file }, onClose
}: {
  at: string, source: KnowledgeSource, onClose: () => void
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
      <footer>
        {file && <a class='button' href={file} target='_blank' rel='noopener noreferrer'>{knowledge.openSource}</a>}
        <Button onClick={onClose}>{ui.close}</Button>
      </footer>
    </Dialog>
  )
}
