import type { FaultCode } from '@placard/protocol';
import type { Strings } from './english.ts';

const faults: Record<FaultCode, string> = {
  'config.invalid':
    'Un ajuste no es válido. Corrija el ajuste indicado en el registro y reinicie el reproductor.',
  'data.unwritable':
    'No se puede escribir en la carpeta de datos. Dé permiso de escritura al reproductor o elija otra carpeta con --data.',
  'data.locked': 'Otro reproductor usa esta carpeta de datos. Deténgalo o elija otra carpeta con --data.',
  'store.corrupt':
    'La base de datos del reproductor estaba dañada. Se apartó y se reconstruyó con los archivos y la nube. No hay que hacer nada.',
  'disk.full':
    'El disco está lleno. La reproducción continúa con los medios guardados. Libere espacio o aumente el límite de la caché.',
  'disk.readonly':
    'El disco es de solo lectura. La reproducción continúa con los medios guardados. Revise el disco o la tarjeta SD y reinicie.',
  'cloud.unreachable':
    'No se puede conectar con la nube. La reproducción continúa con los medios guardados. Revise el cable, la wifi y la dirección del servidor.',
  'cloud.refused':
    'La nube rechazó la petición. Compruebe que la dirección del servidor es correcta y que la nube está actualizada.',
  'cloud.not_placard':
    'El servidor responde, pero no es una nube Placard. Revise la dirección del servidor y si la red exige una página de acceso.',
  'cloud.busy': 'La nube pide al reproductor que espere. El reproductor reintenta automáticamente.',
  'cloud.tls':
    'Falló la conexión segura. Revise la fecha y la hora de este equipo y el certificado del servidor.',
  'identity.shared':
    'Otro equipo tiene la misma identidad porque su disco es una copia. Ambos siguen reproduciendo. Borre la carpeta de datos de uno de ellos y vincúlelo de nuevo.',
  'asset.gone':
    'Un archivo de la lista ya no existe en la nube. Quite el elemento de la lista o suba el archivo de nuevo.',
  'asset.not_allowed':
    'Un archivo está en un servidor desde el que este reproductor no debe descargar. Indique la dirección pública de la nube (--public-url) o suba el archivo a la nube.',
  'manifest.unknown':
    'La nube envió algo que esta versión del reproductor no admite. Se omitió; el resto se reproduce. Actualice el reproductor.',
  'asset.hash_mismatch':
    'Un archivo se dañó durante la transferencia y se descartó. El reproductor lo descarga de nuevo.',
  'asset.download_failed': 'No se pudo descargar un archivo. El reproductor reintenta automáticamente.',
  'playback.decode_failed':
    'Este equipo no puede descodificar un archivo y lo omite. Conviértalo a MP4 H.264, JPEG o PNG.',
  'playback.stalled': 'Un vídeo se quedó parado y se omitió. El reproductor lo intenta de nuevo más tarde.',
  'playback.nothing_playable':
    'No se puede mostrar ningún elemento de la lista. La última imagen sigue en pantalla. Revise los elementos de la lista.',
  'plays.dropped': 'Faltan algunas reproducciones en las estadísticas. Revise el disco y la red.',
  'stage.lost': 'La página que muestra los medios dejó de responder. Se reinicia automáticamente.',
  'stage.safe_mode':
    'La página que muestra los medios falló varias veces. Durante una hora solo muestra imágenes, sin tarjeta gráfica. Revise el controlador gráfico y los vídeos más recientes.',
  'shell.none':
    'No se encontró ningún navegador para mostrar los medios. Instale Chromium, Chrome o Edge, o inicie el reproductor con --shell headless.',
  'runtime.crashed':
    'El proceso del reproductor terminó de forma inesperada. Se reinicia automáticamente; la imagen sigue en pantalla.',
};

export const spanish: Strings = {
  starting: 'Iniciando',
  pairing: {
    title: 'Vincular esta pantalla',
    withPhone: 'Escanee con el móvil',
    beforeAddress: 'o abra ',
    afterAddress: ' e introduzca este código',
    renewsIn: (clock) => `Código nuevo en ${clock}`,
    waiting: 'Esperando un código',
    waitingHint: 'La pantalla lo pide al servidor automáticamente.',
  },
  paired: {
    title: 'Vinculada',
    ready: 'Esta pantalla está descargando sus medios.',
  },
  idle: {
    nothing: 'No hay nada programado en este momento',
    screenshotsAllowed: 'Se pueden hacer capturas de esta pantalla a distancia',
    screenshotsForbidden: 'No se hacen capturas de esta pantalla',
  },
  playerInfo: {
    server: 'Servidor',
    version: 'Versión',
    serial: 'Número de serie',
    network: 'Red',
    noNetwork: 'Sin conexión de red',
    wired: 'cable',
    wireless: 'wifi',
  },
  connectivity: {
    steps: { link: 'Red', address: 'Dirección', dns: 'DNS', server: 'Servidor', clock: 'Reloj' },
    states: { ok: 'correcto', failed: 'falló', waiting: 'sin comprobar' },
    hints: {
      no_link: () => 'Este equipo no está conectado a la red. Conecte el cable o únase a una red wifi.',
      no_address: () =>
        'La red no asigna una dirección a este equipo. Revise el router (DHCP) o configure una dirección fija.',
      name_not_found: ({ host }) =>
        `No se puede resolver el nombre ${host}. Revise la dirección del servidor y el DNS de esta red.`,
      connection_refused: ({ host }) =>
        `${host} rechaza la conexión. Compruebe que la nube está en marcha y que el puerto es correcto.`,
      no_route: ({ host }) =>
        `No hay ruta desde esta red hasta ${host}. Revise la puerta de enlace y el cortafuegos.`,
      no_answer: ({ host }) => `${host} no responde. Revise la dirección del servidor y el cortafuegos.`,
      certificate: ({ host }) =>
        `El certificado de ${host} no es de confianza. Revíselo, y también la fecha y la hora de este equipo.`,
      clock_wrong: ({ date }) =>
        `El reloj de este equipo marca ${date}, así que ningún certificado es válido. Ajuste la fecha y la hora.`,
      not_placard: ({ host }) =>
        `${host} responde, pero no es una nube Placard. Revise la dirección del servidor y si esta red exige una página de acceso.`,
      refused: ({ host }) =>
        `${host} rechaza la petición. Revise la dirección del servidor y que la nube esté actualizada.`,
      busy: ({ host }) => `${host} pide a esta pantalla que espere. La pantalla reintenta automáticamente.`,
      server_error: ({ host }) => `${host} comunica un error interno. La pantalla reintenta automáticamente.`,
    },
  },
  fault: (code) => faults[code],
  menu: {
    title: 'Menú del técnico',
    back: 'Atrás',
    close: 'Cerrar',
    cancel: 'Cancelar',
    loading: 'Un momento…',
    refresh: 'Actualizar',
    unknown: 'desconocido',
    noResponse: 'El reproductor no responde. Inténtelo de nuevo en un momento.',
    cloudUnreachable:
      'No se puede conectar con la nube, así que los medios no podrían descargarse de nuevo. Revise primero la red.',
    notPossible: (why) => `Error: ${why}`,
    readOnly:
      'Esta pantalla no tiene PIN, así que el menú es de solo lectura. Defina uno en la configuración del equipo en la nube o al instalarlo.',
    pin: {
      title: 'Introduzca el PIN',
      digits: (count) => `${count} cifras introducidas`,
      enter: 'OK',
      erase: 'Borrar',
      wrong: 'PIN incorrecto.',
      locked: (clock) => `Demasiados PIN incorrectos. Vuelva a intentarlo en ${clock}.`,
    },
    network: {
      title: 'Prueba de red',
      ok: 'La conexión con el servidor funciona.',
      responseTime: 'Tiempo de respuesta',
      milliseconds: (count) => `${count} ms`,
      clockOffset: 'Desfase del reloj',
      seconds: (count) => `${count} s`,
    },
    playing: {
      title: 'Reproducción actual',
      now: 'En pantalla',
      next: 'Después',
      nothing: 'nada',
      playlist: 'Lista de reproducción',
      reason: 'Motivo',
      schedule: (name) => `programación «${name}»`,
      deployment: 'lista asignada',
      none: 'nada programado ni asignado',
      since: 'Desde',
      until: 'Hasta',
      kinds: { image: 'imagen', video: 'vídeo' },
      cloud: 'Nube',
      connections: { online: 'conectada', offline: 'sin conexión', connecting: 'conectando' },
      contentStatus: 'Contenido',
      current: 'al día',
      loading: 'descargando una actualización',
    },
    cache: {
      title: 'Caché',
      used: 'Usado',
      limit: 'Límite',
      noLimit: 'tamaño del disco',
      free: 'Espacio libre en disco',
      files: 'Archivos',
      missing: 'Archivos que faltan',
    },
    faults: {
      title: 'Fallos',
      none: 'Sin fallos.',
      since: (time) => `desde ${time}`,
    },
    pattern: {
      title: 'Carta de ajuste',
      keys: 'Flechas o toque: siguiente. Atrás: cerrar.',
      kinds: {
        geometry: 'Geometría',
        colours: 'Colores',
        lines: 'Líneas de 1 píxel',
        motion: 'Movimiento',
      },
    },
    orientation: {
      title: 'Orientación',
      note: 'Su elección vale solo para este equipo, hasta que vuelva a elegir «Seguir a la nube».',
      cloud: 'Seguir a la nube',
      kinds: {
        landscape: 'Horizontal',
        portrait: 'Vertical',
        'landscape-flipped': 'Horizontal, al revés',
        'portrait-flipped': 'Vertical, al revés',
      },
    },
    logs: {
      title: 'Guardar registros',
      question:
        '¿Guardar los registros y el estado, sin secretos, en el disco de este equipo, y en una memoria USB si hay una?',
      confirm: 'Guardar',
      saved: 'Guardado en:',
    },
    clearCache: {
      title: 'Vaciar la caché',
      question:
        '¿Borrar todos los medios guardados? La imagen actual se mantiene hasta que los medios se descarguen de nuevo.',
      confirm: 'Borrar',
      done: 'La caché se vació. Los medios se descargan de nuevo.',
    },
    rePair: {
      title: 'Vincular de nuevo',
      question:
        '¿Eliminar esta vinculación? La pantalla muestra un código nuevo y no reproduce nada hasta que se vincule de nuevo.',
      confirm: 'Eliminar',
      done: 'En un momento aparece un código nuevo.',
    },
    restart: {
      title: 'Reiniciar el reproductor',
      question: '¿Reiniciar el reproductor? La imagen vuelve en unos segundos.',
      confirm: 'Reiniciar',
      done: 'El reproductor se reinicia.',
    },
    reboot: {
      title: 'Reiniciar el equipo',
      question: '¿Reiniciar este equipo? La pantalla queda oscura alrededor de un minuto.',
      confirm: 'Reiniciar',
      done: 'El equipo se reinicia.',
    },
  },
};
