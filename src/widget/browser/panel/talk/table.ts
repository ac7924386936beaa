import css from './table.css'

export { css }
export { fillTable } from '../../table.ts'
