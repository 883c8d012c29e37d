import { pluralsOf } from '../../i18n/plural.ts';
import type { FleetTexts } from './english.ts';

const plural = pluralsOf('es');

export const spanish: FleetTexts = {
  attention: 'Requiere atención',
  offlineDevices: (count) => `${count} sin conexión`,
  offlineAdvice:
    'Revise la corriente y la red de estas pantallas. Siguen mostrando lo que tienen almacenado.',
  unknownFault: 'Esta versión de la consola no conoce el fallo. Abra una pantalla para ver lo que comunica.',
  behindDevices: (count) =>
    plural(count, {
      one: '# en línea, por detrás de su revisión',
      other: '# en línea, por detrás de su revisión',
    }),
  behindAdvice:
    'Aún no muestran lo que deben. Si continúa, abra una pantalla y mire su almacenamiento y sus fallos.',
  oldVersion: (count, version) =>
    plural(count, { one: `# tiene la versión ${version}`, other: `# tienen la versión ${version}` }),
  oldVersionAdvice: (newest) => `La más nueva aquí es ${newest}. Haga que busquen actualizaciones.`,
  updates: 'Actualizaciones',
  rolloutHeld: (version) => `La implantación de la versión ${version} espera una decisión`,
  rolloutHeldAdvice: 'Consulte el motivo y continúela o deténgala.',
  rolloutStopped: (version) => `La implantación de la versión ${version} se detuvo`,
  rolloutForSome: (version) =>
    `La implantación de la versión ${version} terminó para una parte de las pantallas`,
  rolloutHoldsAdvice:
    'Hasta que se elimine o termine una para todas las pantallas, ninguna pantalla se actualiza por sí misma.',
  showThem: 'Mostrar',
  allVersions: 'Todas las versiones',
  versionIs: 'Versión',
  faultIs: 'Fallo',
  revision: 'Revisión',
  behind: 'Por detrás de su revisión',
  current: 'Muestra su revisión',
  moreFilters: 'Fallo o versión',
  list: 'Lista',
  tiles: 'Mosaico',
  layout: 'Vista',
  select: (name) => `Seleccionar ${name}`,
  selected: (count) => `${count} seleccionados`,
  actOnSelected: 'Actuar sobre la selección',
  actOnAll: (count) => `Actuar sobre los ${count}`,
  clearSelection: 'Quitar la selección',
  bulkTitle: (count) =>
    plural(count, { one: 'Lo mismo para # dispositivo', other: 'Lo mismo para # dispositivos' }),
  action: 'Acción',
  addTags: 'Añadir etiquetas',
  removeTags: 'Quitar etiquetas',
  setStore: 'Mover a una tienda',
  setOrientation: 'Fijar la orientación',
  deploy: 'Desplegar una lista',
  playlist: 'Lista de reproducción',
  tagsHint: 'Separadas por comas',
  checking: 'Comprobando qué pueden reproducir las pantallas …',
  start: 'Iniciar',
  stop: 'Omitir el resto',
  progress: (done, total) => `${done} de ${total} hechos`,
  failedCount: (count) => `${count} fallidos`,
  finished: 'Terminado',
  cancelled: 'Detenido; lo hecho queda hecho',
  running: 'Continúa en segundo plano, aunque se cierre esto',
  views: 'Vistas',
  saveView: 'Guardar esta vista',
  viewName: 'Nombre de la vista',
  removeView: (name) => `Eliminar ${name}`,
  noViews: 'Aún no hay vistas guardadas en este navegador.',
};
