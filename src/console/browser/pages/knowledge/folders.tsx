import { useState } from 'preact/hooks'
import { Pencil, Trash2 } from 'lucide-preact'
import type { Folder, KnowledgeSource } from '../../../../../schema/knowledge.ts'
import { api } from '../../api.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { confirm, Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { toast } from '../../ui/toast.tsx'
import { ReviewBy } from './review.tsx'

/** A folder with its path from the root: `Shipping / Abroad`. The root itself holds sources in no folder. */
export interface Place extends Folder { way: string }

/** Folders in display order: the root first, each with its path. */
export function placesOf (folders: readonly Folder[]): Place[] {
  const byId = new Map(folders.map((folder) => [folder.id, folder]))
  const wayOf = ({ name, parent }: Folder): string => {
    const above = parent === null ? undefined : byId.get(parent)
    if (!above) return ''
    return above.parent === null ? name : `${wayOf(above)} / ${name}`
  }
  return folders
    .map((folder) => ({ ...folder, way: wayOf(folder) }))
    .sort((a, b) => a.way.localeCompare(b.way))
}

/** A folder's name in a list of folders. */
const shownWay = ({ way }: Place) => way || texts.value.folders.top

/** The current folder, and actions on it. */
export function FolderBar ({ route, places, chosen, mayManage, choose, onChanged }: {
  route: string
  places: Place[]
  chosen: Place | undefined
  mayManage: boolean
  choose: (id: string) => void
  onChanged: () => Promise<void>
}) {
  const { folders } = texts.value
  const [edited, setEdited] = useState<Place>()
  const remove = useAction(async (folder: Place) => {
    const above = places.find(({ id }) => id === folder.parent)!
    const { name } = folder
    const text = fill(folders.removeText, { folder: shownWay(above) })
    if (!await confirm({ title: fill(folders.removeTitle, { name }), text, verb: folders.removeVerb })) return
    await api.delete(`${route}/${folder.id}`)
    toast(fill(folders.removed, { name }))
    choose('')
    await onChanged()
  })
  const changeable = mayManage && chosen && chosen.parent !== null ? chosen : undefined
  return (
    <div class='actions'>
      <select aria-label={folders.label} value={chosen?.id ?? ''} onChange={(event) => choose(event.currentTarget.value)}>
        <option value=''>{folders.all}</option>
        {places.map((place) => <option key={place.id} value={place.id}>{shownWay(place)}</option>)}
      </select>
      {changeable && (
        <>
          <IconButton
            icon={Pencil}
            label={fill(folders.change, { name: changeable.name })}
            onClick={() => setEdited(changeable)}
          />
          <IconButton
            icon={Trash2}
            label={fill(folders.remove, { name: changeable.name })}
            aria-busy={remove.isBusy}
            onClick={() => { remove.run(changeable) }}
          />
        </>
      )}
      {remove.error && <p class='error' role='alert'>{sentenceOf(remove.error)}</p>}
      {edited && (
        <FolderForm
          route={route}
          places={places}
          folder={edited}
          parent={undefined}
          onClose={() => setEdited(undefined)}
          onSaved={onChanged}
        />
      )}
    </div>
  )
}

/** Creates, renames or moves a folder. */
export function FolderForm ({ route, places, folder, parent, onClose, onSaved }: {
  route: string
  places: Place[]
  folder: Place | undefined
  parent: Place | undefined
  onClose: () => void
  onSaved: () => Promise<void>
}) {
  const { folders, ui } = texts.value
  const [name, setName] = useState(folder?.name ?? '')
  const [above, setAbove] = useState(folder?.parent ?? parent?.id ?? places[0]!.id)
  const save = useAction(async () => {
    if (folder) await api.put(`${route}/${folder.id}`, { name, parent: above })
    else await api.post(route, { name, parent: above })
    await onSaved()
    onClose()
  })
  const title = folder ? fill(folders.change, { name: folder.name }) : folders.add
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          save.run()
        }}
      >
        <Field label={folders.name} error={save.errorAt('name')}>
          <input
            autofocus
            required
            maxLength={200}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </Field>
        <PlaceChoice label={folders.inside} places={places} without={folder} value={above} onChange={setAbove} />
        {folder && <ReviewBy at={`${route}/${folder.id}`} day={folder.review_by} onSaved={() => { onSaved() }} />}
        {save.error && !save.errorAt('name') && <p class='error' role='alert'>{sentenceOf(save.error)}</p>}
        <div class='actions end'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind='main' type='submit' busy={save.isBusy}>{folder ? folders.save : folders.makeVerb}</Button>
        </div>
      </form>
    </Dialog>
  )
}

/** `without`: the folder being moved; neither it nor its descendants can be its parent. */
function PlaceChoice ({ label, places, without, value, onChange }: {
  label: string, places: Place[], without?: Place | undefined, value: number, onChange: (id: number) => void
}) {
  const offered = places.filter(({ id, way }) => id !== without?.id && !(without && way.startsWith(`${without.way} / `)))
  return (
    <Field label={label}>
      <select value={value} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {offered.map((place) => <option key={place.id} value={place.id}>{shownWay(place)}</option>)}
      </select>
    </Field>
  )
}

/** Moves a source into another folder. */
export function MoveSource ({ at, source, places, onClose, onMoved }: {
  at: string
  source: KnowledgeSource
  places: Place[]
  onClose: () => void
  onMoved: (source: KnowledgeSource) => void
}) {
  const { folders } = texts.value
  return (
    <MoveTo
      title={fill(folders.moveTitle, { name: source.title })} places={places} first={source.agent_knowledge_folder}
      onClose={onClose}
      move={async (chosen) => {
        const { data } = await api.put<KnowledgeSource>(at, { agent_knowledge_folder: chosen })
        toast(fill(folders.moved, { name: source.title, folder: shownWay(places.find(({ id }) => id === chosen)!) }))
        onMoved(data)
      }}
    />
  )
}

/** Asks for a folder and moves the items there. `first`: the folder selected initially. */
export function MoveTo ({ title, places, first, move, onClose }: {
  title: string, places: Place[], first: number, move: (folder: number) => Promise<unknown>, onClose: () => void
}) {
  const { folders, ui } = texts.value
  const [chosen, setChosen] = useState(first)
  const action = useAction(async () => {
    await move(chosen)
    onClose()
  })
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          action.run()
        }}
      >
        <PlaceChoice label={folders.label} places={places} value={chosen} onChange={setChosen} />
        {action.error && <p class='error' role='alert'>{sentenceOf(action.error)}</p>}
        <div class='actions end'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind='main' type='submit' busy={action.isBusy}>{folders.move}</Button>
        </div>
      </form>
    </Dialog>
  )
}
