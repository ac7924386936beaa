import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { FileText, FolderPlus, Globe, Plus, RotateCcw, Upload as UploadIcon, X } from 'lucide-preact'
import { api } from '../../api.ts'
import { fill, shownBytes, shownNumber, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, IconButton, Menu, MenuItem } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { FolderForm, type Place } from './folders.tsx'
import { useUploads, type Upload } from './upload.ts'

/** What is added: something that is typed, or a folder. */
type Kind = 'text' | 'page' | 'folder'

/**
 * Adds what an agent is to know: files, a text, a page or site, into the folder that is looked at; and folders. Files
 * may be dropped anywhere on the page. `isEmpty`: nothing is there yet, so that what can be added is laid out.
 * `children`: what else stands in the bar.
 */
export function Add ({ route, places, folder, isEmpty, children, onAdded, onMade }: {
  route: string
  places: Place[]
  folder: Place | undefined
  isEmpty: boolean
  children: ComponentChildren
  onAdded: () => void
  onMade: () => Promise<void>
}) {
  const { knowledge, folders } = texts.value
  const [kind, setKind] = useState<Kind>()
  const input = useRef<HTMLInputElement>(null)
  const bar = useRef<HTMLDivElement>(null)
  const { uploads, add, again, cancel } = useUploads(route, onAdded, folder?.id)
  const isOver = useDropped(add)
  const wasEmpty = useRef(isEmpty)
  useEffect(() => {
    // What was pressed is gone with the first source.
    if (wasEmpty.current && !isEmpty && document.activeElement === document.body) bar.current!.querySelector('button')!.focus()
    wasEmpty.current = isEmpty
  }, [isEmpty])
  const choose = () => input.current!.click()
  const onClose = () => setKind(undefined)
  return (
    <>
      <div ref={bar} class='sources-bar'>
        <Menu class='button main' shown={<><Plus size={16} aria-hidden='true' />{knowledge.addVerb}</>}>
          <MenuItem icon={UploadIcon} onClick={choose}>{knowledge.chooseFiles}</MenuItem>
          <MenuItem icon={FileText} onClick={() => setKind('text')}>{knowledge.addText}</MenuItem>
          <MenuItem icon={Globe} onClick={() => setKind('page')}>{knowledge.addPage}</MenuItem>
          {places.length > 0 && <MenuItem icon={FolderPlus} onClick={() => setKind('folder')}>{folders.add}</MenuItem>}
        </Menu>
        {children}
      </div>
      <input
        ref={input} type='file' multiple hidden aria-label={knowledge.chooseFiles}
        onChange={({ currentTarget }) => {
          add(currentTarget.files ?? [])
          currentTarget.value = ''
        }}
      />
      {(isEmpty || isOver) && <First isOver={isOver} choose={choose} setKind={setKind} />}
      {uploads.length > 0 && (
        <ul class='plain stack card'>
          {uploads.map((one) => <Sending key={one.key} upload={one} again={again} cancel={cancel} />)}
        </ul>
      )}
      {kind === 'text' && <TextForm {...{ route, folder, onAdded, onClose }} />}
      {kind === 'page' && <PageForm {...{ route, folder, onAdded, onClose }} />}
      {kind === 'folder' && (
        <FolderForm
          route={route.replace(/sources$/, 'folders')} places={places} folder={undefined} parent={folder} onClose={onClose}
          onSaved={onMade}
        />
      )}
    </>
  )
}

/** What can be added first of all, laid out; and where files are dropped. */
function First ({ isOver, choose, setKind }: { isOver: boolean, choose: () => void, setKind: (kind: Kind) => void }) {
  const { knowledge } = texts.value
  if (isOver) return <div class='drop over'><p>{knowledge.dropNow}</p></div>
  return (
    <Card title={knowledge.none}>
      <p class='quiet'>{knowledge.noneText}</p>
      <div class='drop'>
        <p>{knowledge.drop}</p>
        <Button icon={UploadIcon} onClick={choose}>{knowledge.chooseFiles}</Button>
        <p class='hint'>{knowledge.formats}</p>
      </div>
      <div class='actions'>
        <Button icon={FileText} onClick={() => setKind('text')}>{knowledge.addText}</Button>
        <Button icon={Globe} onClick={() => setKind('page')}>{knowledge.addPage}</Button>
      </div>
    </Card>
  )
}

/** Takes the files that are dropped anywhere on the page; whether some are held over it. */
function useDropped (add: (files: Iterable<File>) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    const isFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
    const over = (event: DragEvent) => {
      if (!isFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    // Between two elements of the page it goes nowhere.
    const leave = (event: DragEvent) => { if (event.relatedTarget === null) setOver(false) }
    const drop = (event: DragEvent) => {
      if (!isFiles(event)) return
      event.preventDefault()
      setOver(false)
      latest.current(event.dataTransfer?.files ?? [])
    }
    const gone = new AbortController()
    addEventListener('dragover', over, gone)
    addEventListener('dragleave', leave, gone)
    addEventListener('drop', drop, gone)
    return () => gone.abort()
  }, [])
  return isOver
}

function Sending ({
  upload, again, cancel
}: {
  upload: Upload, again: (upload: Upload) => void, cancel: (upload: Upload) => void
}) {
  const { knowledge } = texts.value
  const {
    file: { name, size }, state, sent, error
  } = upload
  const percent = shownNumber(sent, { style: 'percent' })
  return (
    <li class='sending'>
      <div class='grow'>
        <span class='cut'>{name}</span> <span class='quiet'>{shownBytes(size)}</span>
        {state === 'failed' && error
          ? <p class='error' role='alert'>{sentenceOf(error)}</p>
          : (
            <>
              <progress aria-label={name} max={1} value={sent} />
              <p class='hint'>{state === 'sending' ? fill(knowledge.sending, { percent }) : knowledge.waiting}</p>
            </>
            )}
      </div>
      {state === 'failed' && <Button icon={RotateCcw} onClick={() => again(upload)}>{knowledge.retryUpload}</Button>}
      <IconButton
        icon={X}
        label={fill(state === 'failed' ? knowledge.forget : knowledge.cancelUpload, { name })}
        onClick={() => cancel(upload)}
      />
    </li>
  )
}

interface FormProps { route: string, folder: Place | undefined, onAdded: () => void, onClose: () => void }

/** Sends the source that a form describes. */
function useAdding ({ route, folder, onAdded, onClose }: FormProps, draft: () => object) {
  return useAction(async () => {
    await api.post(route, { ...draft(), ...(folder && { agent_knowledge_folder: folder.id }) })
    onAdded()
    onClose()
  })
}

function FormEnd ({ action, onClose }: { action: ReturnType<typeof useAction<[]>>, onClose: () => void }) {
  const { knowledge, ui } = texts.value
  return (
    <>
      {action.error && action.error.details.length === 0 && (
        <p class='error' role='alert'>{sentenceOf(action.error)}</p>
      )}
      <div class='actions end'>
        <Button onClick={onClose}>{ui.cancel}</Button>
        <Button kind='main' type='submit' busy={action.isBusy}>{knowledge.addVerb}</Button>
      </div>
    </>
  )
}

function TextForm (props: FormProps) {
  const { knowledge } = texts.value
  const [title, setTitle] = useState('')
  const [text, setText] = useState('')
  const add = useAdding(props, () => ({ plain_text: text, ...(title.trim() !== '' && { title }) }))
  return (
    <Dialog wide title={knowledge.addText} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          add.run()
        }}
      >
        <Field label={knowledge.title} error={add.errorAt('title')}>
          <input autofocus maxLength={500} value={title} onInput={(event) => setTitle(event.currentTarget.value)} />
        </Field>
        <Field label={knowledge.text} error={add.errorAt('plain_text')}>
          <textarea
            required
            rows={10}
            dir='auto'
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </Field>
        <FormEnd action={add} onClose={props.onClose} />
      </form>
    </Dialog>
  )
}

function PageForm (props: FormProps) {
  const { knowledge } = texts.value
  const [url, setUrl] = useState('')
  const [reach, setReach] = useState({ depth: '0', count: '50', refresh: '' })
  const add = useAdding(props, () => ({
    urls: [/^https?:\/\//i.test(url.trim()) ? url.trim() : `https://${url.trim()}`],
    depth: Number(reach.depth),
    ...(reach.depth !== '0' && { count: Number(reach.count) }),
    ...(reach.refresh !== '' && { refresh_hours: Number(reach.refresh) })
  }))
  const number = (name: keyof typeof reach, max: number, min: number) => (
    <input
      type='number'
      min={min}
      max={max}
      value={reach[name]}
      onInput={(event) => setReach({ ...reach, [name]: event.currentTarget.value })}
    />
  )
  return (
    <Dialog title={knowledge.addPage} onClose={props.onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          add.run()
        }}
      >
        <Field
          label={knowledge.address}
          error={add.error?.details.find(({ field }) => field.startsWith('urls'))?.message}
        >
          <input
            required
            autofocus
            inputMode='url'
            placeholder='https://'
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </Field>
        <Field label={knowledge.depth} hint={knowledge.depthHint} error={add.errorAt('depth')}>
          {number('depth', 10, 0)}
        </Field>
        {reach.depth !== '0' && (
          <Field label={knowledge.count} error={add.errorAt('count')}>{number('count', 500, 1)}</Field>
        )}
        <Field label={knowledge.refresh} hint={knowledge.refreshHint} error={add.errorAt('refresh_hours')}>
          {number('refresh', 8760, 1)}
        </Field>
        <FormEnd action={add} onClose={props.onClose} />
      </form>
    </Dialog>
  )
}
