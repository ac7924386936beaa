import { useState } from 'preact/hooks'
import { Search } from 'lucide-preact'
import { DOES, MATCHES, MOST_TAGS_OF_RULE, type GuardPreviewed, type GuardRule } from '../../../../../schema/guards.ts'
import type { Refused } from '../../api.ts'
import { fill, texts } from '../../texts/index.ts'
import { useAction } from '../../ui/action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Switch } from '../../ui/field.tsx'
import { sentenceOf } from '../../ui/states.tsx'
import { TagsField } from '../inbox/desk/tags-field.tsx'
import { preview, Previewed } from './preview.tsx'
import { ruleTexts } from '../../texts/rules/index.ts'
import { isSpeaking, ruleOf, typedOf, type Typed } from './typed.ts'

/** Adds or edits a rule. `at`: its index among the rules; `onSave` throws the server's refusals. */
export function RuleForm ({ agent, rule, at, onSave, onClose }: {
  agent: number
  rule: GuardRule | undefined
  at: number
  onSave: (rule: GuardRule) => Promise<void>
  onClose: () => void
}) {
  const { rules: { name }, ui } = texts.value
  const rules = ruleTexts()
  const [typed, setTyped] = useState(() => typedOf(rule))
  const set = (more: Partial<Typed>) => setTyped({ ...typed, ...more })
  const save = useAction(async () => {
    await onSave(ruleOf(typed))
    onClose()
  })
  const wrong = (field: string) => save.errorAt(`behavior.guardRules[${at}].${field}`)
  const isBroad = save.error?.code === 'rule_acts_on_most'
  return (
    <Dialog wide title={rule ? rules.change : rules.add} onClose={onClose}>
      <form
        class='stack'
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          save.run()
        }}
      >
        <Field label={name} hint={rules.nameHint} error={wrong('name')}>
          <input value={typed.name} dir='auto' maxLength={64} onInput={(event) => set({ name: event.currentTarget.value })} />
        </Field>
        <Looks typed={typed} onChange={set} wrong={wrong} />
        <Acts typed={typed} onChange={set} wrong={wrong} />
        <Tests typed={typed} onChange={set} />
        <Switch label={rules.enabled} checked={typed.enabled} onChange={(enabled) => set({ enabled })} />
        <Try agent={agent} typed={typed} />
        {save.error && <p class='error' role='alert'>{saidOf(save.error, typed)}</p>}
        {(isBroad || typed.acts_on_most) && (
          <Switch
            label={rules.confirm} hint={rules.confirmHint} checked={typed.acts_on_most}
            onChange={(isConfirmed) => set({ acts_on_most: isConfirmed })}
          />
        )}
        <footer class='actions'>
          <Button onClick={onClose}>{ui.cancel}</Button>
          <Button kind='main' type='submit' busy={save.isBusy}>{ui.save}</Button>
        </footer>
      </form>
    </Dialog>
  )
}

interface PartProps {
  typed: Typed
  onChange: (more: Partial<Typed>) => void
  /** What is wrong with a field of the rule. */
  wrong: (field: string) => string | undefined
}

/** Which texts a rule checks, and for what. */
function Looks ({ typed, onChange: set, wrong }: PartProps) {
  const rules = ruleTexts()
  const by = typed.do === 'mask' ? 'words' : typed.by
  const errors = [wrong('match.of'), ...Array.from({ length: 100 }, (_, n) => wrong(`match.of[${n}]`))]
  return (
    <>
      <Field label={rules.when}>
        <select value={typed.when} onChange={(event) => set({ when: event.currentTarget.value as Typed['when'] })}>
          <option value='asked'>{rules.whens.asked}</option>
          <option value='answered'>{rules.whens.answered}</option>
        </select>
      </Field>
      <Field label={rules.by} error={wrong('match.by')}>
        <select
          value={by} disabled={typed.do === 'mask'}
          onChange={(event) => set({ by: event.currentTarget.value as Typed['by'] })}
        >
          {MATCHES.map((one) => <option key={one} value={one}>{rules.bys[one]}</option>)}
        </select>
      </Field>
      <Field label={rules.of[by]} hint={rules.ofHint[by]} error={errors.find(Boolean)}>
        <textarea rows={4} dir='auto' value={typed.of} onInput={(event) => set({ of: event.currentTarget.value })} />
      </Field>
    </>
  )
}

/** What a rule does, and the text sent then. */
function Acts ({ typed, onChange: set, wrong }: PartProps) {
  const rules = ruleTexts()
  const tagErrors = [wrong('tags'), ...Array.from({ length: MOST_TAGS_OF_RULE }, (_, n) => wrong(`tags[${n}]`))]
  return (
    <>
      <Field label={rules.does} hint={typed.do === 'mask' ? rules.maskHint : undefined}>
        <select value={typed.do} onChange={(event) => set({ do: event.currentTarget.value as Typed['do'] })}>
          {DOES.map((one) => <option key={one} value={one}>{rules.doing[one]}</option>)}
        </select>
      </Field>
      {typed.do === 'tag' && (
        <TagsField
          value={typed.tags} most={MOST_TAGS_OF_RULE} hint={rules.tagsHint} error={tagErrors.find(Boolean)}
          onChange={(tags) => set({ tags })}
        />
      )}
      {isSpeaking(typed.do) && (
        <Field label={rules.text} hint={typed.do === 'refuse' ? undefined : rules.textHint} error={wrong('text')}>
          <textarea rows={2} dir='auto' value={typed.text} onInput={(event) => set({ text: event.currentTarget.value })} />
        </Field>
      )}
    </>
  )
}

/** Which example texts must trigger it, and which must not. */
function Tests ({ typed, onChange: set }: Omit<PartProps, 'wrong'>) {
  const rules = ruleTexts()
  return (
    <>
      <Field label={rules.match} hint={rules.testsHint}>
        <textarea rows={2} dir='auto' value={typed.match} onInput={(event) => set({ match: event.currentTarget.value })} />
      </Field>
      <Field label={rules.noMatch}>
        <textarea rows={2} dir='auto' value={typed.noMatch} onInput={(event) => set({ noMatch: event.currentTarget.value })} />
      </Field>
    </>
  )
}

/** What the rule would have done, before it is saved. */
function Try ({ agent, typed }: { agent: number, typed: Typed }) {
  const rules = ruleTexts()
  const [found, setFound] = useState<GuardPreviewed>()
  const look = useAction(async () => setFound((await preview(agent, [{ ...ruleOf(typed), name: typed.name || '–' }])).rules[0]))
  return (
    <div class='stack' aria-live='polite'>
      <div><Button icon={Search} busy={look.isBusy} onClick={() => { look.run() }}>{rules.tryOne}</Button></div>
      {look.error && <p class='error' role='alert'>{rules.incomplete}</p>}
      {found && !look.error && <Previewed of={found} />}
    </div>
  )
}

/** The server's complaint about a rule, without the field's path. */
function saidOf (error: Refused, typed: Typed): string {
  const { editor } = texts.value
  const rules = ruleTexts()
  if (error.code === 'rule_acts_on_most') return rules.broad
  const [first] = (error.fields['rules'] ?? []) as Array<{ field: string }>
  const [, kind, nth = '0'] = /tests\.(match|no_match)\[(\d+)\]$/.exec(first?.field ?? '') ?? []
  if (!kind) return error.details.length > 0 ? editor.failedFields : sentenceOf(error)
  const { tests } = ruleOf(typed)
  return kind === 'match'
    ? fill(rules.failsMatch, { text: tests.match[Number(nth)] ?? '' })
    : fill(rules.failsNoMatch, { text: tests.no_match[Number(nth)] ?? '' })
}
