import type { ComponentType } from 'preact'
import type { ReadonlySignal } from '@preact/signals'
import type { LucideIcon } from 'lucide-preact'
import type { Permission } from '../../../../schema/access.ts'
import type { Texts } from '../texts/index.ts'

/** Props of a page: the parameters of its address. */
export interface PageProps { params: Record<string, string> }

/** A page: its path, who may open it, and its code, which is loaded when it is first opened. */
export interface Page {
  path: string
  load: () => Promise<{ default: ComponentType<PageProps> }>
  /** Any of these permissions suffices; if omitted, everybody may open it. */
  permissions?: Permission[]
  /** Pages with the same name of this kind are one page with two addresses: it is not remounted between them. */
  keep?: string
  /** Its place in the menu. `isOwn`: it is in the user menu, at the bottom. */
  nav?: {
    group: keyof Texts['menu'], text: keyof Texts['nav'], icon: LucideIcon, count?: ReadonlySignal<number>, isOwn?: true
  }
}
