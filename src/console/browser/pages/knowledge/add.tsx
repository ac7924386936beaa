import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { FileText, FolderPlus, Globe, MessageCircleQuestion, Plus, RotateCcw, Upload as UploadIcon, X } from 'lucide-preact'
import { api } from '../../api.ts'
import { fill, shownBytes, shownNumber, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, IconButton, Menu, MenuItem } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { FolderForm, type Place } from './folders.tsx'
import { AddPairs } from './pairs.tsx'
import { SiteForm } from './site.tsx'
import { useUploads, type Upload } from './upload.ts'

/** What is added: a form of this kind, or a folder. */
type Kind = 'text' | 'faq' | 'page' | 'folder'

/**
 * Adds knowledge: files, a text, a page or site, into the current folder; and folders. Files may be dropped anywhere on
 * the page. `isEmpty`: there is nothing yet, so all options are laid out. `children`: further controls of the bar.
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
  useFocusAfterFirst(bar, isEmpty, kind !== undefined)
  const choose = () => input.current!.click()
  const onClose = () => setKind(undefined)
  return (
    <>
      <div ref={bar} class='sources-bar'>
        <Menu class='button main' shown={<><Plus size={16} aria-hidden='true' />{knowledge.addVerb}</>}>
          <MenuItem icon={UploadIcon} onClick={choose}>{knowledge.chooseFiles}</MenuItem>
          <MenuItem icon={FileText} onClick={() => setKind('text')}>{knowledge.addText}</MenuItem>
          <MenuItem icon={MessageCircleQuestion} onClick={() => setKind('faq')}>{knowledge.kinds.faq}</MenuItem>
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
      {kind === 'faq' && <AddPairs {...{ route, folder, onAdded, onClose }} />}
      {kind === 'page' && <SiteForm {...{ route, folder, onClose }} onSaved={onAdded} />}
      {kind === 'folder' && (
        <FolderForm
          route={route.replace(/sources$/, 'folders')} places={places} folder={undefined} parent={folder} onClose={onClose}
          onSaved={onMade}
        />
      )}
    </>
  )
}

/** The button that was clicked disappears with the first source, which may be there before its dialog has gone. */
function useFocusAfterFirst (bar: { current: HTMLElement | null }, isEmpty: boolean, isOpen: boolean) {
  const wasEmpty = useRef(isEmpty)
  useEffect(() => {
    if (!isEmpty && isOpen) return
    if (wasEmpty.current && !isEmpty && document.activeElement === document.body) bar.current!.querySelector('button')!.focus()
    wasEmpty.current = isEmpty
  }, [isEmpty, isOpen])
}

/** The options for a first source, laid out, with the drop area for files. */
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

/** Handles files dropped anywhere on the page; returns whether some are being dragged over it. */
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
    // Moving between two elements of the page is not leaving it.
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
