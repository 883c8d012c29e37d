; What the installer does besides copying files: see windows/placard-setup.ps1. The installer is a 32-bit program, so
; that Windows would lead it to a PowerShell with another registry.

!macro placardSetup SCRIPT ARGUMENTS
  nsExec::ExecToLog '"$WINDIR\Sysnative\WindowsPowerShell\v1.0\powershell.exe" -NoProfile -NonInteractive -ExecutionPolicy Bypass -File "${SCRIPT}" ${ARGUMENTS}'
  Pop $0
!macroend

; Before a file is touched, or the task would start the player while its files are replaced.
!macro customInit
  InitPluginsDir
  File "/oname=$PLUGINSDIR\placard-setup.ps1" "${BUILD_RESOURCES_DIR}/windows/placard-setup.ps1"
  !insertmacro placardSetup "$PLUGINSDIR\placard-setup.ps1" "-Step before"
  ${if} $0 != 0
    MessageBox MB_OK|MB_ICONSTOP "Placard cannot be installed: its folder in C:\ProgramData could not be made for administrators alone, or Windows PowerShell is switched off. End the programs that use C:\ProgramData\Placard and start again." /SD IDOK
    SetErrorLevel 2
    Quit
  ${endIf}
!macroend

!macro customInstall
  StrCpy $1 ""
  ${if} ${isUpdated}
    StrCpy $1 "-Updating"
  ${endIf}
  !insertmacro placardSetup "$PLUGINSDIR\placard-setup.ps1" '-Step after -Program "$INSTDIR" -Setup "$EXEPATH" -Version ${VERSION} $1'
!macroend

!macro customUnInstall
  ${ifNot} ${isUpdated}
    !insertmacro placardSetup "$INSTDIR\resources\windows\placard-setup.ps1" '-Step remove -Program "$INSTDIR"'
  ${endIf}
!macroend
