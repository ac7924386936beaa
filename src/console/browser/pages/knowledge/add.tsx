import { useRef, useState } from 'preact/hooks'
import { FileText, Globe, RotateCcw, Upload as UploadIcon, X } from 'lucide-preact'
import { api } from '../../api.ts'
import { fill, shownBytes, shownNumber, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import type { Place } from './folders.tsx'
import { useUploads, type Upload } from './upload.ts'

/** Adds what an agent is to know: files, a text, a page or site; into the folder that is looked at. */
export function Add ({ route, folder, onAdded }: { route: string, folder?: Place | undefined, onAdded: () => void }) {
  const { knowledge } = texts.value
  const [kind, setKind] = useState<'text' | 'page'>()
  const [isOver, setOver] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const { uploads, add, again, cancel } = useUploads(route, onAdded, folder?.id)
  const isFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false
  return (
    <Card title={knowledge.add}>
      <div
        class={isOver ? 'drop over' : 'drop'}
        onDragOver={(event) => {
          if (!isFiles(event)) return
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          event.preventDefault()
          setOver(false)
          add(event.dataTransfer?.files ?? [])
        }}
      >
        <p>{isOver ? knowledge.dropNow : knowledge.drop}</p>
        <Button kind='main' icon={UploadIcon} onClick={() => input.current!.click()}>{knowledge.chooseFiles}</Button>
        <input
          ref={input}
          type='file'
          multiple
          hidden
          aria-label={knowledge.chooseFiles}
          onChange={({ currentTarget }) => {
            add(currentTarget.files ?? [])
            currentTarget.value = ''
          }}
        />
        <p class='hint'>{knowledge.formats}</p>
      </div>
      {uploads.length > 0 && (
        <ul class='plain stack'>
          {uploads.map((one) => <Sending key={one.key} upload={one} again={again} cancel={cancel} />)}
        </ul>
      )}
      <div class='actions'>
        <Button icon={FileText} onClick={() => setKind('text')}>{knowledge.addText}</Button>
        <Button icon={Globe} onClick={() => setKind('page')}>{knowledge.addPage}</Button>
      </div>
      {kind === 'text' && <TextForm route={route} folder={folder} onAdded={onAdded} onClose={() => setKind(undefined)} />}
      {kind === 'page' && <PageForm route={route} folder={folder} onAdded={onAdded} onClose={() => setKind(undefined)} />}
    </Card>
  )
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
