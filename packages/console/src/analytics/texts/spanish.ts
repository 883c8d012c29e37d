import { pluralsOf } from '../../i18n/plural.ts';
import type { AnalyticsTexts } from './english.ts';

const plural = pluralsOf('es');

export const spanish: AnalyticsTexts = {
  period: 'Periodo',
  periods: { day: '24 horas', week: '7 días', month: '30 días', quarter: '90 días' },
  from: 'Desde',
  to: 'Hasta',
  inUtc: 'Días y horas en UTC.',
  download: 'Descargar como CSV',
  downloadHint: 'Cada reproducción de este periodo, con los filtros',
  onlineNow: 'En línea ahora',
  onlineOf: (online, all) => `${online} de ${all}`,
  uptime: 'Disponibilidad',
  uptimeHint:
    'Parte del tiempo desde la vinculación en que una pantalla estuvo en línea, mientras la nube funcionaba.',
  plays: 'Reproducciones',
  timeShown: 'Tiempo en pantallas',
  failed: 'Fallidas',
  overTime: 'Reproducciones en el tiempo',
  chart: (plays, failed) =>
    `${plural(plays, { one: '# reproducción', other: '# reproducciones' })}, ${plural(failed, { one: '# fallida', other: '# fallidas' })}. Los números están en «Tiempo».`,
  by: 'Reproducciones por',
  groups: { content: 'Contenido', device: 'Pantalla', store: 'Tienda', playlist: 'Lista', time: 'Tiempo' },
  without: { content: 'Eliminado', device: 'Retirada', store: 'Sin tienda', playlist: 'Sin lista' },
  deleted: 'Eliminado',
  onlyThis: (name) => `Mostrar solo las reproducciones de ${name}`,
  removeFilter: (name) => `Mostrar también otras reproducciones que las de ${name}`,
  noPlays: 'No se reprodujo nada en este tiempo.',
  noPlaysHint:
    'Una pantalla comunica lo que ha reproducido. Despliegue una lista o elija un periodo más largo.',
  toPlaylists: 'A las listas',
  notObserved: 'aún no observada',
  noScreens: 'No hay ninguna pantalla vinculada.',
  lowestFirst: 'Las más bajas primero',
  more: 'Mostrar más',
  chooseScreen: 'Ve las pantallas de sus tiendas. Elija una para ver lo que ha reproducido.',
  previous: 'Página anterior',
  next: 'Página siguiente',
  page: (page, pages) => `Página ${page} de ${pages}`,
};
