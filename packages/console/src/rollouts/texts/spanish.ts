import { pluralsOf } from '../../i18n/plural.ts';
import type { RolloutTexts } from './english.ts';

const plural = pluralsOf('es');
const SCREENS = { one: '# pantalla', other: '# pantallas' };

export const spanish: RolloutTexts = {
  title: 'Actualizaciones del reproductor',
  notForBound:
    'Usted trabaja para algunas tiendas. Una implantación afecta a las pantallas de todas las tiendas; por eso no se le muestran.',
  rollouts: 'Implantaciones',
  none: 'Todavía no se ha implantado ninguna versión',
  noneHint:
    'Una implantación da una versión nueva del reproductor primero a pocas pantallas, las compara con las demás y solo continúa mientras nada empeore. Necesita una fuente de actualizaciones que ofrezca la versión a todas las pantallas, y pantallas con una versión anterior.',
  start: 'Iniciar una implantación',
  startAfter: 'La próxima implantación podrá iniciarse cuando esta haya terminado.',
  began: (time) => `iniciada el ${time}`,

  selecting: 'Se eligen las pantallas',
  atRing: (ring, rings, share) => `fase ${ring} de ${rings} (hasta el ${share})`,
  running: (at) => `En curso: ${at}`,
  held: (at) => `Espera una decisión: ${at}`,
  stopped: (at) => `Se detuvo por sí misma: ${at}`,
  stoppedByHand: (at) => `Detenida a mano: ${at}`,
  stoppedAt: (at) => `Detenida: ${at}`,
  stoppedBeforeBeginning: 'Detenida a mano antes de la primera fase',
  finished: 'Terminada',
  updatedOfRing: (updated, chosen) => `${updated} de ${chosen} actualizadas en esta fase`,
  updatedOfAll: (updated, fleet) => `${updated} de ${fleet} actualizadas`,

  state: 'Estado',
  whatToDo: 'Qué hacer',
  screens: 'Pantallas',
  reached: 'Pantallas con una versión anterior',
  beganAt: 'Inicio',
  endedAt: 'Fin',
  heldFor: 'Comparación de cada fase',
  holdsUpdates: 'Hasta que termine, ninguna pantalla de la organización se actualiza por sí misma.',
  holdsUntilAll:
    'Ninguna pantalla de la organización se actualiza por sí misma hasta que se elimine esta implantación o termine una para todas las pantallas.',
  selfUpdating: (count) =>
    plural(count, {
      one: '# pantalla tiene un reproductor demasiado antiguo para esperar su turno: también se actualiza por sí misma.',
      other:
        '# pantallas tienen reproductores demasiado antiguos para esperar su turno: también se actualizan por sí mismas.',
    }),
  stop: 'Detener',
  stopQuestion: (version) => `¿Detener la implantación de ${version}?`,
  stopHint:
    'A ninguna otra pantalla se le pide que se actualice. Las pantallas que tienen la versión la conservan. Una implantación detenida no puede continuarse.',
  continue: 'Continuar con la fase siguiente',
  continueQuestion: (count) =>
    plural(count, {
      one: '¿Pedir la actualización a # pantalla más?',
      other: '¿Pedir la actualización a # pantallas más?',
    }),
  continueHint: 'Una orden que una pantalla ha recibido no puede retirarse.',
  delete: 'Eliminar',
  deleteQuestion: (version) => `¿Eliminar la implantación de ${version}?`,
  deleteHint: 'Se pierde la lista de sus pantallas. Las pantallas conservan su versión.',
  deleteHolding: 'Después, las pantallas vuelven a actualizarse por sí mismas, según su fuente.',

  causes: {
    stopped_by_hand: (name) => `La detuvo ${name}.`,
    worse: ({ what, kind, before, after, updated, othersBefore, othersAfter, others }) =>
      `${what}${kind === '' ? '' : ` (${kind})`}: ${before} antes de la actualización, ${after} después (${plural(updated, SCREENS)}). ` +
      `Sin la actualización: ${othersBefore} antes, ${othersAfter} ahora (${plural(others, SCREENS)}).`,
    not_coming_back: ({ silent, told, kind, othersSilent, others }) =>
      `${silent} de ${plural(told, SCREENS)}${kind === '' ? '' : ` (${kind})`} que debían actualizarse no han vuelto. ` +
      `De ${plural(others, SCREENS)} sin esa orden, ${othersSilent} no responden.`,
    broken_update: ({ broken, answered, kind }) =>
      `En ${broken} de ${plural(answered, SCREENS)}${kind === '' ? '' : ` (${kind})`} la versión no pudo instalarse o no funcionó. ` +
      'Allí funciona la versión anterior.',
    nothing_compared: 'No se pudo comparar nada: muy pocas pantallas han enviado suficientes datos.',
    too_few_updated: ({ alive, chosen, failed, told }) =>
      `Solo ${alive} de ${plural(chosen, SCREENS)} de esta fase tienen la versión y estuvieron en línea en el último día. ` +
      `Fallidas: ${failed}. Sin noticias: ${told}.`,
    nothing_older: 'Ninguna pantalla elegida tiene una versión anterior.',
  },
  advice: {
    stopped_by_hand: '',
    worse:
      'Bloquee la versión en su fuente de actualizaciones. Implante después una versión corregida con un número mayor; hasta entonces estas pantallas conservan la versión.',
    not_coming_back:
      'Revise en el lugar las pantallas que no responden: corriente, red, imagen. La lista de dispositivos las muestra con el estado «Sin conexión». Bloquee la versión en su fuente de actualizaciones e implante después una versión corregida con un número mayor.',
    broken_update:
      'La lista de pantallas de abajo indica por qué falló cada una. Bloquee la versión en su fuente de actualizaciones e implante después una versión corregida con un número mayor.',
    nothing_compared:
      'Revise algunas pantallas de esta fase. Continúe si están bien. Con menos de unas 300 pantallas, la mayoría de las comparaciones no son posibles.',
    too_few_updated: 'Revise las pantallas que fallaron o no respondieron. Después, continúe o detenga.',
    nothing_older: 'Compruebe la versión y las pantallas elegidas.',
  },

  rings: 'Fases',
  ringState: {
    later: 'Su turno llega más tarde',
    notReached: 'No alcanzada',
    telling: 'Se pide a las pantallas que se actualicen',
    answering: 'Pedido; espera respuestas',
    comparing: 'Se compara',
    held: 'Espera una decisión',
    stopped: 'Detenida aquí',
    done: 'Terminada',
  },
  next: {
    afterComparison: (time) =>
      `La fase siguiente empieza por sí misma tras ${time} de comparación, si nada empeora.`,
    at: (time) => `La fase siguiente empieza por sí misma como pronto el ${time}, si nada empeora.`,
    overdue:
      'Menos de la mitad de las pantallas de esta fase tienen la versión. Si sigue así dos días, la implantación espera una decisión.',
    lastRing: (time) =>
      `Termina cuando todas las pantallas han respondido, a más tardar ${time} después del último aviso. Ahora solo la detienen actualizaciones fallidas.`,
  },
  counts: {
    waiting: (count) => plural(count, { other: '# sin avisar' }),
    told: (count) => plural(count, { one: '# avisada', other: '# avisadas' }),
    failed: (count) => plural(count, { one: '# fallida', other: '# fallidas' }),
  },
  updatedOf: (updated, chosen) => `${updated} de ${plural(chosen, SCREENS)}`,
  ringOf: (number, share) => `Fase ${number}: hasta el ${share} de las pantallas`,

  comparison: 'Antes y después',
  comparedSince: (time) => `desde el ${time}`,
  notComparedYet:
    'Las pantallas de esta fase se comparan aproximadamente una hora después del último aviso, cuando la mayoría ha respondido.',
  lastNotCompared: 'En la última fase no hay otras pantallas con las que comparar.',
  nothingReported: 'Muy pocas pantallas han enviado datos suficientes para comparar.',
  endedBefore: 'Terminó antes de que se compararan las pantallas de esta fase.',
  notEnoughYet: 'Las pantallas de esta fase aún no han enviado datos suficientes.',
  measure: 'Medida',
  withUpdate: 'Actualizadas',
  withoutUpdate: 'Otras',
  measures: {
    restarts: 'Reinicios al día',
    faults: 'Fallos al día',
    dropped_frames: 'Fotogramas perdidos',
    start_time: 'Duración de un arranque',
  },
  kindScreens: (updated, others) =>
    `${plural(updated, { one: '# actualizada', other: '# actualizadas' })}, ${plural(others, { one: '# otra', other: '# otras' })}`,
  rareKinds: 'Equipos poco comunes',
  unknownShell: 'shell desconocido',
  stoppedForThis: 'motivo de la detención',

  status: {
    waiting: 'Sin avisar',
    told: 'Avisada',
    updated: 'Tiene la versión',
    failed: 'Fallida',
    removed: 'Retirada',
  },
  anyStatus: 'Todas las pantallas',
  showScreens: 'Mostrar',
  noScreens: 'Ninguna pantalla está en este estado.',
  removedScreen: 'Pantalla retirada',
  ring: (number) => `fase ${number}`,
  toldAt: (time) => `avisada el ${time}`,
  updatedAt: (time) => `actualizada el ${time}`,
  codes: {
    rolled_back: 'La versión no funcionó allí; vuelve a funcionar la anterior',
    not_offered: 'Su fuente no le ofrece la versión: revise porcentaje, canal y arquitectura',
    expired: 'Estuvo apagada una semana',
    other_version: 'Su fuente ofrecía otra versión',
    not_configured: 'No tiene fuente de actualizaciones o clave de publicación',
    no_helper: 'No se instaló desde un paquete, así que no puede instalar actualizaciones',
    no_release_key: 'Su asistente de actualización no tiene clave de publicación',
    busy: 'Se estaba instalando allí otra actualización',
    download_failed: 'La descarga falló: revise su red y el servidor de actualizaciones',
    helper_silent: 'Su asistente de actualización no responde',
    bad_feed: 'Su lista de versiones no se puede leer: revise la dirección de la fuente',
    old_feed: 'Su lista de versiones es más antigua que otra ya recibida: revise las cachés intermedias',
    bad_signature: 'La firma no es válida; no se instaló nada',
    bad_manifest: 'La descripción del paquete no es válida',
    wrong_package: 'El paquete es de otro programa',
    wrong_arch: 'El paquete es para otra arquitectura',
    wrong_contents: 'El paquete no contiene lo que dice su descripción',
    wrong_size: 'El paquete no tiene el tamaño que dice su descripción',
    wrong_hash: 'El paquete no coincide con su hash firmado',
    incomplete: 'Faltaban archivos de la actualización',
    not_an_upgrade: 'Tiene esta versión o una más reciente',
    blocked: 'La versión está bloqueada: se retiró del feed o ya falló allí',
    no_space: 'No hay espacio suficiente en el disco',
    no_way_back: 'No se pudo conservar o restaurar la versión anterior',
    changed_by_hand: 'La instalación se cambió a mano',
    torn_state: 'Su disco perdió el estado de la actualización',
    failed: 'Falló por un motivo desconocido',
    unknown: 'Falló por un motivo desconocido',
  },

  version: 'Versión',
  versionHint:
    'Su fuente de actualizaciones debe ofrecerla a todas las pantallas (100 %), y ninguna más reciente.',
  matches: (count) =>
    plural(count, {
      one: '# pantalla coincide; se actualiza si su versión es anterior.',
      other: '# pantallas coinciden; se actualizan las que tienen una versión anterior.',
    }),
  more: 'Nombre, fases y duración',
  nameHint: 'Puede quedar vacío',
  ringsHint:
    'Parte de las pantallas que tienen la versión tras cada fase. La última fase no se compara con nada.',
  holdHint: 'Cuanto más larga, menor es el empeoramiento que se detecta.',
  plan: (first, others, time) =>
    `Primero hasta el ${first} de las pantallas, después ${others}: cada vez tras ${time} de comparación y por sí misma, si nada empeora.`,
  planAll: 'Todas las pantallas, una tras otra, sin comparación.',
  otherBegan: 'Ha empezado otra implantación:',
  startNote:
    'Las pantallas se actualizan también en horario de apertura; cada una queda en negro durante un arranque.',
};
