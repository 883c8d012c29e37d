import { pluralsOf } from '../../i18n/plural.ts';
import type { DeviceTexts } from './english.ts';

const plural = pluralsOf('es');

export const spanish: DeviceTexts = {
  week: 'Hoy y la semana',
  overTime: 'Medidas en el tiempo',
  day: '24 horas',
  sevenDays: '7 días',
  noReadings: 'No se midió nada en este tiempo.',
  logs: 'Registros',
  fetchLogs: 'Obtener los registros',
  logsWaiting: 'Se piden los registros a la pantalla.',
  logsFailed: (reason) => `La pantalla no pudo enviar sus registros: ${reason}`,
  noLogs: 'Nadie ha pedido aún sus registros.',
  download: 'Descargar',
  screenshot: 'Imagen de la pantalla',
  screenshotAlt: 'Lo que mostraba la pantalla',
  screenshotShows: (name) => `Según el reproductor, mostraba ${name}.`,
  screenshotShowsNothing: 'El reproductor no mostraba ningún contenido.',
  faultPictureAlt: (code) => `Lo que mostraba la pantalla al comenzar ${code}`,
  earlierFaults: 'Imágenes de fallos anteriores',
  takeScreenshot: 'Tomar una imagen',
  live: 'En directo',
  stopLive: 'Detener',
  liveAlt: 'Lo que muestra ahora la pantalla',
  liveCaption: 'En directo, aproximadamente una imagen por segundo.',
  liveWaiting: 'Esperando la primera imagen.',
  stillWatching: '¿Sigue mirando?',
  liveProblem: {
    offline: 'La pantalla está sin conexión.',
    no_socket:
      'La pantalla no tiene ahora una conexión permanente, necesaria para ello. Tome en su lugar una sola imagen.',
    player_too_old: 'El reproductor de esta pantalla es demasiado antiguo para ello. Actualícelo.',
    no_answer: 'La pantalla no ha respondido en 10 segundos.',
  },
  allowsScreenshots: 'Se pueden tomar imágenes de esta pantalla',
  forbiddenBy: {
    device: 'Los ajustes de esta pantalla no permiten imágenes.',
    organization: 'Los ajustes de la organización no permiten imágenes.',
  },
  noScreenshot: 'Nadie ha tomado aún una imagen.',
  screenshotWaiting:
    'Se ha pedido una imagen a la pantalla. Tarda unos segundos, o hasta un minuto sin conexión permanente.',
  screenshotExpired: 'La pantalla no ha respondido en dos minutos. Quizá esté apagada o sin red.',
  screenshotFailed: (reason) => `La pantalla no pudo tomar una imagen: ${reason}`,
  pin: 'PIN del menú técnico',
  pinSet: 'Hay un PIN.',
  pinNotSet: 'Sin PIN: cualquiera ante la pantalla puede abrir el menú.',
  pinField: 'PIN nuevo',
  pinHint: 'De 4 a 8 cifras; no se puede volver a leer',
  removePin: 'Quitar el PIN',
  history: 'Cambios',
  noHistory: 'Aún no se ha cambiado nada.',
  played: 'Mostrado en los últimos 7 días',
  plays: (count) => plural(count, { one: '# vez', other: '# veces' }),
  noPlays: 'No se mostró nada.',
};
