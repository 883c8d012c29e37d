import { pluralsOf } from '../../i18n/plural.ts';
import { after } from './condition-texts.ts';
import type { AlertTexts } from './english.ts';

const plural = pluralsOf('es');

export const spanish: AlertTexts = {
  conditions: {
    offline: {
      name: 'Una pantalla está sin conexión',
      words: (value) => `Sin conexión desde hace ${value('minutes')}`,
      advice: 'Revise la corriente y la red de las pantallas. Siguen mostrando lo que tienen almacenado.',
    },
    fault: {
      name: 'Una pantalla comunica un fallo',
      words: (value) =>
        `${value('code') === '' ? 'Cualquier fallo' : `Fallo ${value('code')}`}${after(' desde hace ', value('minutes'))}`,
      advice: 'Abra una pantalla para ver qué fallo comunica y qué hacer.',
    },
    behind: {
      name: 'Una pantalla no muestra lo que debe',
      words: (value) => `No muestra lo previsto desde hace ${value('minutes')}`,
      advice: 'Abra una pantalla y mire su almacenamiento y sus fallos.',
    },
    old_version: {
      name: 'Un reproductor es demasiado antiguo',
      words: (value) =>
        `Reproductor anterior a ${value('version')}${after(' desde hace ', value('minutes'))}`,
      advice: 'Haga que las pantallas busquen actualizaciones.',
    },
    hot: {
      name: 'Una pantalla está demasiado caliente',
      words: (value) => `${value('celsius')} °C o más${after(' desde hace ', value('minutes'))}`,
      advice: 'Revise la ventilación, el ventilador y el sol que reciben las pantallas.',
    },
    disk_below: {
      name: 'El disco de una pantalla está casi lleno',
      words: (value) =>
        `Menos de ${value('free')} ${value('unit')} libre en el disco${after(' desde hace ', value('minutes'))}`,
      advice: 'Libere espacio en el disco de las pantallas, o muestre allí menos archivos y más pequeños.',
    },
    nothing_playable: {
      name: 'Una pantalla no tiene nada que mostrar',
      words: (value) => `No tiene nada que mostrar desde hace ${value('minutes')}`,
      advice: 'Abra una pantalla: ¿tiene contenido su lista, y está almacenado allí?',
    },
    screen_black: {
      name: 'Una pantalla está en negro',
      hint: 'Según las imágenes que las pantallas envían con el intervalo de sus ajustes.',
      words: (value) => `En negro en ${value('pictures')} imágenes${after(' desde hace ', value('minutes'))}`,
      advice: 'Mire la imagen de una pantalla. Revise el reproductor y si su contenido debe ser oscuro.',
    },
    screen_frozen: {
      name: 'La imagen de una pantalla no cambia',
      hint: 'Según las imágenes que las pantallas envían con el intervalo de sus ajustes.',
      words: (value) => `Igual en ${value('pictures')} imágenes${after(' desde hace ', value('minutes'))}`,
      advice: 'Mire la imagen de una pantalla y reinicie allí la aplicación.',
    },
  },
  fields: {
    minutes: 'Duración mínima en minutos',
    code: 'Código del fallo',
    version: 'Anterior a la versión',
    celsius: 'Grados Celsius',
    free: 'Menos espacio libre que',
    unit: 'Unidad',
    pictures: 'Imágenes seguidas',
  },
  open: 'Abiertas',
  resolved: 'Resueltas',
  noneOpen: 'Ninguna alerta abierta.',
  watching: (count) =>
    plural(count, { one: '# regla vigila sus pantallas.', other: '# reglas vigilan sus pantallas.' }),
  nothingResolved: 'Ninguna alerta resuelta en los últimos 90 días.',
  ofYourStores:
    'Usted se ocupa de algunas tiendas. Ve las alertas de estas tiendas y de sus pantallas, pero ninguna que trate de pantallas de varias tiendas.',
  rulesNotForBound:
    'Usted se ocupa de algunas tiendas. Las reglas de alertas son para todas las tiendas; por eso no se le muestran.',
  severalScreens: 'Varias pantallas',
  screens: (count) => plural(count, { one: '# pantalla', other: '# pantallas' }),
  rule: 'Regla',
  from: 'Desde',
  until: 'Hasta',
  because: {
    over: 'Terminada en todas las pantallas',
    rule_changed: 'La regla se ha modificado, desactivado o eliminado',
    not_watched: 'No consta que haya terminado: se han eliminado pantallas, o la regla ya no las vigila',
  },
  otherReason: (reason) => `Terminada por otro motivo (${reason})`,
  screensTitle: 'Pantallas',
  concernedNow: 'Afectadas ahora',
  concernedSoFar: 'Afectadas hasta ahora',
  overSince: (time) => `terminado desde ${time}`,
  notKnownOver: 'no consta que haya terminado',
  removedScreen: 'Pantalla eliminada',
  mails: 'Correos',
  noMails: 'Ningún correo: la regla no tenía destinatarios.',
  mailStep: { opened: 'Alerta', escalated: 'Sigue abierta', resolved: 'Resuelta' },
  mailStatus: { pending: 'En espera', sent: 'Aceptado por el servidor de correo', failed: 'Fallido' },
  attempts: (count) => `intentos: ${count}`,
  nextAttempt: (time) => `próximo intento ${time}`,
  rules: 'Reglas de alertas',
  rulesHint:
    'Una regla dice cuándo hay una alerta y para qué pantallas. Una tienda caída es una sola alerta; el tiempo en que la nube no funcionaba no cuenta.',
  noRules: 'Aún no se vigila nada',
  noRulesHint:
    'Las reglas dicen cuándo hay una alerta. Empiece con estas; cada una se puede cambiar o desactivar después.',
  noRulesForViewer: 'No hay reglas de alertas. Un Editor o un Admin puede crearlas.',
  createStarters: 'Crear estas reglas',
  newRule: 'Nueva regla',
  editRule: 'Editar la regla',
  condition: 'Alerta cuando',
  unknownCondition: (type) =>
    `Esta versión de la consola no conoce la condición «${type}». El resto de la regla se puede cambiar.`,
  noPictures:
    'Las pantallas no envían imágenes automáticamente, por lo que no hay alerta, salvo para las pantallas con un ajuste propio.',
  toPictureSettings: 'Abrir los ajustes',
  atOnce: '0: de inmediato',
  anyFault: 'Vacío: cualquier fallo',
  watches: (count) => plural(count, { one: 'Vigila # pantalla.', other: 'Vigila # pantallas.' }),
  recipients: 'Correo a',
  recipientsHint:
    'Direcciones separadas por comas. Sin ninguna, las alertas se muestran aquí y se envían a los webhooks.',
  mailLanguage: 'Idioma de los correos',
  mailTo: (count) => plural(count, { one: 'correo a # dirección', other: 'correo a # direcciones' }),
  noMail: 'sin correo',
  inOpeningHours: 'solo en horario de apertura',
  laterTo: (count) => plural(count, { one: 'más tarde a # dirección', other: 'más tarde a # direcciones' }),
  mutes: 'Silencios',
  mutedUntil: (time) => `En silencio hasta ${time}`,
  hours: 'Las alertas se abren',
  hoursAlways: 'En cualquier momento',
  hoursOnly: 'Solo en horario de apertura',
  hoursHint: 'En la zona horaria de la tienda. Los minutos fuera de este horario no cuentan.',
  days: 'Días',
  hoursFrom: 'De',
  hoursTo: 'A',
  onTheNextDay: 'Al día siguiente',
  addHours: 'Añadir horario',
  remove: 'Quitar',
  stillOpen: 'Si sigue abierta',
  afterMinutes: 'Después de (minutos)',
  addLater: 'Avisar más tarde a otros',
  mute: 'Silenciar',
  muteTitle: 'Silenciar alertas',
  muteHint:
    'Mientras dure, no se abre ninguna alerta de estas pantallas ni se envía correo. Lo que siga mal después será entonces una alerta.',
  muteFor: 'Durante',
  untilOwnTime: 'Hasta un momento concreto',
  untilTime: 'Hasta',
  reason: 'Motivo',
  endMute: 'Reactivar',
  endsOpen: (count) =>
    plural(count, {
      one: 'Al guardar termina # alerta abierta de la regla. Si sigue siendo cierta, habrá una nueva.',
      other: 'Al guardar terminan # alertas abiertas de la regla. Si siguen siendo ciertas, habrá nuevas.',
    }),
  active: 'Activa',
  activeOf: (name) => `«${name}» está activa`,
  switchedOn: (name) => `«${name}» vuelve a estar activa.`,
  switchedOff: (name) => `«${name}» está desactivada. Sus alertas abiertas han terminado.`,
  undo: 'Deshacer',
  deleteRule: 'Eliminar',
  deleteTitle: (name) => `¿Eliminar «${name}»?`,
  deleteHint: 'Sus alertas abiertas terminan. No se puede deshacer.',
};
