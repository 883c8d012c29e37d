; What the installer does besides copying files, as administrator: folders, scheduled tasks, and a copy of itself as the
; way back from a later update. $APPDATA is C:\ProgramData in a per-machine installation.

!macro customInstall
  SetShellVarContext all
  CreateDirectory "$APPDATA\Placard\update\inbox"
  CreateDirectory "$APPDATA\Placard\update\packages"
  ; C:\ProgramData lets every user add files. Here everybody reads (config.json too), users write the inbox, packages are
  ; for SYSTEM and administrators alone.
  nsExec::ExecToLog '"$SYSDIR\icacls.exe" "$APPDATA\Placard" /inheritance:r /grant *S-1-5-18:(OI)(CI)F /grant *S-1-5-32-544:(OI)(CI)F /grant *S-1-5-32-545:(OI)(CI)RX'
  Pop $0
  nsExec::ExecToLog '"$SYSDIR\icacls.exe" "$APPDATA\Placard\update\inbox" /grant *S-1-5-32-545:(OI)(CI)M'
  Pop $0
  nsExec::ExecToLog '"$SYSDIR\icacls.exe" "$APPDATA\Placard\update\packages" /inheritance:r /grant *S-1-5-18:(OI)(CI)F /grant *S-1-5-32-544:(OI)(CI)F'
  Pop $0
  CopyFiles /SILENT "$EXEPATH" "$APPDATA\Placard\update\packages\${VERSION}.exe"
  nsExec::ExecToLog '"$SYSDIR\schtasks.exe" /Create /F /TN "Placard\Player" /XML "$INSTDIR\resources\windows\player-task.xml"'
  Pop $0
  ; An update that runs must not put back the switch that an administrator has set.
  ${ifNot} ${isUpdated}
    nsExec::ExecToLog '"$SYSDIR\schtasks.exe" /Create /F /TN "Placard\Update" /XML "$INSTDIR\resources\windows\update-task.xml"'
    Pop $0
  ${endIf}
!macroend

!macro customUnInstall
  ${ifNot} ${isUpdated}
    nsExec::ExecToLog '"$SYSDIR\schtasks.exe" /Delete /F /TN "Placard\Player"'
    Pop $0
    nsExec::ExecToLog '"$SYSDIR\schtasks.exe" /Delete /F /TN "Placard\Update"'
    Pop $0
    SetShellVarContext all
    RMDir /r "$APPDATA\Placard\update"
  ${endIf}
!macroend
