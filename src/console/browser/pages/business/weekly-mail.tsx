import patch from 'schema:business#BusinessPatch'
import type { Business } from '../../../../../schema/business.ts'
import { schemaAt } from '../../forms.ts'
import { languageCalled, texts } from '../../texts/index.ts'
import { Field } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'

type Language = Business['gaps_mail']

/** Whether, and in which language, members who teach agents get a weekly mail about what the agents did not know. */
export function WeeklyMail ({ language, onChange }: { language: Language, onChange: (language: Language) => void }) {
  const { weekly } = texts.value
  const choices = schemaAt(patch, 'gaps_mail').enum as Language[]
  return (
    <Card title={weekly.title}>
      <Field label={weekly.mail} hint={weekly.hint}>
        <select value={language} onChange={(event) => onChange(event.currentTarget.value as Language)}>
          {choices.map((one) => (
            <option key={one} value={one}>{one === 'off' ? weekly.off : languageCalled(one)}</option>
          ))}
        </select>
      </Field>
    </Card>
  )
}
