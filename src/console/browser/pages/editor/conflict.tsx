import { useState } from 'preact/hooks'
import { texts } from '../../texts/index.ts'
import type { Action } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { FIELDS } from './fields.ts'
import { differences, merged, type Difference, type Settings } from './merge.ts'

type Side = 'mine' | 'theirs'

/** Two users changed the same agent: shows both versions, field by field, and saves what is chosen. */
export function Conflict ({ base, mine, theirs, save, onChosen, onClose }: {
  base: Settings,
  mine: Settings,
  theirs: Settings,
  save: Pick<Action<[]>, 'isBusy' | 'error'>
  onChosen: (chosen: Settings) => void,
  onClose: () => void
}) {
  const { editor, ui } = texts.value
  const found = differences(base, mine, theirs)
  const [chosen, setChosen] = useState<Record<string, Side>>({})
  const sideOf = ({ path, likely }: Difference) => chosen[path] ?? likely
  const paths = found.filter((one) => sideOf(one) === 'mine').map(({ path }) => path)
  return (
    <Dialog wide title={editor.conflict} onClose={onClose}>
      <p>{editor.conflictText}</p>
      {found.map((one) => (
        <Choice
          key={one.path}
          difference={one}
          side={sideOf(one)}
          onChoose={(side) => setChosen({ ...chosen, [one.path]: side })}
        />
      ))}
      {save.error && <p class='error' role='alert'>{sentenceOf(save.error)}</p>}
      <footer>
        <Button onClick={onClose}>{ui.cancel}</Button>
        <Button kind='main' busy={save.isBusy} onClick={() => onChosen(merged(theirs, mine, paths))}>
          {editor.conflictVerb}
        </Button>
      </footer>
    </Dialog>
  )
}

function Choice ({
  difference, side, onChoose
}: {
  difference: Difference, side: Side, onChoose: (side: Side) => void
}) {
  const { editor, fields } = texts.value
  const { path, mine, theirs, isBoth } = difference
  const { label } = FIELDS.find((field) => field.path === path)!
  return (
    <fieldset class='versions'>
      <legend>
        {fields[label]}
        {isBoth && <span class='quiet'> – {editor.both}</span>}
      </legend>
      {(
        [
          ['mine', editor.mine, mine], ['theirs', editor.theirs, theirs]
        ] as const
      ).map(([one, name, value]) => (
        <label key={one} class='version'>
          <input type='radio' name={path} checked={side === one} onChange={() => onChoose(one)} />
          <span class='grow'><span class='quiet'>{name}</span><span class='value'>{shown(value)}</span></span>
        </label>
      ))}
    </fieldset>
  )
}

function shown (value: unknown): string {
  const { editor } = texts.value
  if (value === true) return editor.on
  if (value === false) return editor.off
  const text = Array.isArray(value) ? value.join('\n') : String(value ?? '')
  return text === '' ? editor.empty : text
}
