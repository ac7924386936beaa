import type { ComponentType } from 'preact'
import type { ReadonlySignal } from '@preact/signals'
import type { LucideIcon } from 'lucide-preact'
import type { Permission } from '../../../../schema/access.ts'
import type { Texts } from '../texts/index.ts'

/** What a page is given: the parts of its address. */
export interface PageProps { params: Record<string, string> }

/** A page: where it is, who may open it, and the code that draws it, which comes when it is first opened. */
export interface Page {
  path: string
  load: () => Promise<{ default: ComponentType<PageProps> }>
  /** Any of these opens it; without it everybody may. */
  permissions?: Permission[]
  /** Pages with the same name of this kind are one page with two addresses: it stays as it is between them. */
  keep?: string
  /** Its place in the menu. `isOwn`: it stands in one's own menu, at the foot. */
  nav?: {
    group: keyof Texts['menu'], text: keyof Texts['nav'], icon: LucideIcon, count?: ReadonlySignal<number>, isOwn?: true
  }
}
