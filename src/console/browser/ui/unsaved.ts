import { useEffect } from 'preact/hooks'
import { guardLeaving } from '../router.ts'
import { texts } from '../texts/index.ts'
import { confirm } from './dialog.tsx'

/** Asks before leaving a page while it has unsaved changes. */
export function useUnsaved (isUnsaved: boolean): void {
  useEffect(() => (isUnsaved ? guardLeaving(askToLeave) : undefined), [isUnsaved])
}

async function askToLeave () {
  const { ui } = texts.value
  return await confirm({ title: ui.leave, text: ui.leaveText, verb: ui.leaveVerb, stay: ui.stay })
}
